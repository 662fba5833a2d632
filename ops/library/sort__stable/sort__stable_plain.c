/* sort.stable - rows in order, equal elements in theirs, by merging */
#include "../shared/sorting.h"

int sort__stable_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {0};
    int rc = osw_sorting_open_stable(call, &s);

    return osw_sorting_run(call, &s, rc, osw_sorting_by_merging);
}

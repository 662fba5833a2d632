/* sort.stable - rows in order, equal elements in theirs, digit by digit */
#include "../shared/sorting_radix.h"

int sort__stable_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {0};
    int rc = osw_sorting_open_stable(call, &s);

    return osw_sorting_by_radix(call, &s, rc);
}

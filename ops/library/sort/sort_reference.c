/* sort - rows in order, by qsort */
#include "../shared/sorting.h"

int sort_meta(const osw_call *call)
{
    struct osw_sorting s = {0};

    return osw_sorting_open_sort(call, &s);
}

int sort_reference(const osw_call *call)
{
    struct osw_sorting s = {0};
    int rc = osw_sorting_open_sort(call, &s);

    return osw_sorting_run(call, &s, rc, osw_sorting_library);
}

/* sort - rows in order, by qsort; equal elements may stand in any
 * order, so that there is no one right output */
#include "../shared/sorting.h"

int sort_meta(const osw_call *call)
{
    struct osw_sorting s = {0};

    return osw_sorting_open_sort(call, &s);
}

int sort_reference(const osw_call *call)
{
    struct osw_sorting s = {.only_distinct = 1};
    int rc = osw_sorting_open_sort(call, &s);

    return osw_sorting_run(call, &s, rc, osw_sorting_library);
}

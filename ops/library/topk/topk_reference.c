/* topk - the first k of rows in order, by qsort; equal elements may stand in
 * any order, so that there is no one right output */
#include "../shared/sorting.h"

int topk_meta(const osw_call *call)
{
    struct osw_sorting s = {0};

    return osw_sorting_open_topk(call, &s);
}

int topk_reference(const osw_call *call)
{
    struct osw_sorting s = {.only_distinct = 1};
    int rc = osw_sorting_open_topk(call, &s);

    return osw_sorting_run(call, &s, rc, osw_sorting_library);
}

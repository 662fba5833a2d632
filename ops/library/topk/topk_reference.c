/* topk - the first k of rows in order, by qsort; equal elements may stand in
 * any order, so that there is no one right output.  Nor is there where the
 * caller wants none.
 */
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

    if (osw_arg_int(call, 1, 0) > 1 && !osw_arg_int(call, 4, 1))
        return OSW_UNSUPPORTED;
    return osw_sorting_run(call, &s, rc, osw_sorting_library);
}

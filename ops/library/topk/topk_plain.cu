/* topk - the first k of rows in order, by ranks */
#include "../shared/sorting_plain.cuh"

extern "C" int topk_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_topk(call, &s);

    return osw_sorting_plain(call, s, rc);
}

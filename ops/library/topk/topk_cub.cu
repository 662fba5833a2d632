/* topk - the first k of rows in order, by CUB */
#include "../shared/sorting_cub.cuh"

extern "C" int topk_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_topk(call, &s);

    return osw_sorting_cub(call, s, rc);
}

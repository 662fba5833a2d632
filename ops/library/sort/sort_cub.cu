/* sort - rows in order, by CUB */
#include "../shared/sorting_cub.cuh"

extern "C" int sort_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_sort(call, &s);

    return osw_sorting_cub(call, s, rc);
}

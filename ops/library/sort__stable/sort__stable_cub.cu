/* sort.stable - rows in order, equal elements in theirs, by CUB */
#include "../shared/sorting_cub.cuh"

extern "C" int sort__stable_kernel_impl(const osw_call *call)
{
    struct osw_sorting s = {};
    int rc = osw_sorting_open_stable(call, &s);

    return osw_sorting_cub(call, s, rc);
}

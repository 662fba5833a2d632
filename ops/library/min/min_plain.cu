/* min - the smallest of all elements, by a block or a thread each */
#include "../shared/extremes_plain.cuh"

extern "C" int min_kernel_impl(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, -1, -1, 1, OSW_EXTREMES_VALUES);

    return osw_extremes_plain(call, e, rc);
}

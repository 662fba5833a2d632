/* var.correction - a block or a thread to each output */
#include "../shared/moments_plain.cuh"

extern "C" int var__correction_kernel_impl(const osw_call *call)
{
    struct osw_moments m = {};
    int rc = osw_moments_open_one(call, &m, 0);

    return osw_moments_plain(call, m, rc);
}

/* ops/library/convolution/convolution_plain.cu - a thread or a block for each
 * element */
#include "../shared/convolution_calls.cuh"

extern "C" int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    int rc = osw_conv_open(call, &c);

    if (rc)
        return rc;
    return osw_plain_by_float(c.input->dtype, [&](auto e) {
        return osw_conv_forward<decltype(e)>(call, &c, 0);
    });
}

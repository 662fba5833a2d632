/* ops/library/convolution_backward/convolution_backward_reference.cu - in
 * double */
#include "../shared/convolution_calls.cuh"
#include "../shared/convolution_work.h"

extern "C" int convolution_backward_meta(const osw_call *call)
{
    struct osw_conv c = {};

    return osw_conv_open_backward(call, &c);
}

extern "C" int convolution_backward_reference(const osw_call *call)
{
    struct osw_conv c = {};
    int rc = osw_conv_open_backward(call, &c);

    return rc ? rc : osw_conv_backward<osw_plain_mixed<double>>(call, &c, 1);
}

extern "C" int convolution_backward_work(const osw_call *call, osw_work *work)
{
    return osw_conv_work_backward(call, work);
}

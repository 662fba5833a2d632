/* _adaptive_avg_pool2d_backward - the gradient of averages of windows, a
 * thread per element
 */
#include "../shared/adaptive.h"
#include "../shared/separable_plain.cuh"

extern "C" int _adaptive_avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_adaptive_open_backward(call, &s);

    return osw_separable_plain_back(call, s, rc);
}

/* _adaptive_avg_pool2d_backward - the gradient of averages of windows,
 * plane by plane
 */
#include "../shared/adaptive.h"
#include "../shared/separable_plain.h"

int _adaptive_avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_separable_plain_back(call, &s,
                                    osw_adaptive_open_backward(call, &s));
}

/* _adaptive_avg_pool2d - averages of windows that cover the input, plane by
 * plane
 */
#include "../shared/adaptive.h"
#include "../shared/separable_plain.h"

int _adaptive_avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_separable_plain(call, &s, osw_adaptive_open(call, &s));
}

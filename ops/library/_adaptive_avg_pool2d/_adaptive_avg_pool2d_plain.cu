/* _adaptive_avg_pool2d - averages of windows that cover the input, a thread
 * per element
 */
#include "../shared/adaptive.h"
#include "../shared/separable_plain.cuh"

extern "C" int _adaptive_avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_adaptive_open(call, &s);

    return osw_separable_plain(call, s, rc);
}

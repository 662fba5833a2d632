/* reflection_pad1d_backward - the gradient of padding by what lies on the
 * other side of each edge, a thread per element
 */
#include "../shared/mirror.h"
#include "../shared/separable_plain.cuh"

extern "C" int reflection_pad1d_backward_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_mirror_open_backward(call, &s);

    return osw_separable_plain_back(call, s, rc);
}

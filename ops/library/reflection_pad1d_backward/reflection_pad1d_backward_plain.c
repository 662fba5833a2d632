/* reflection_pad1d_backward - the gradient of padding by what lies on the
 * other side of each edge, row by row
 */
#include "../shared/mirror.h"
#include "../shared/separable_plain.h"

int reflection_pad1d_backward_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_separable_plain_back(call, &s,
                                    osw_mirror_open_backward(call, &s));
}

/* reflection_pad1d - padded by what lies on the other side of each edge, a
 * thread per element
 */
#include "../shared/mirror.h"
#include "../shared/separable_plain.cuh"

extern "C" int reflection_pad1d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {};
    int rc = osw_mirror_open(call, &s);

    return osw_separable_plain(call, s, rc);
}

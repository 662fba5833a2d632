/* reflection_pad1d - padded by what lies on the other side of each edge,
 * row by row
 */
#include "../shared/mirror.h"
#include "../shared/separable_plain.h"

int reflection_pad1d_kernel_impl(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_separable_plain(call, &s, osw_mirror_open(call, &s));
}

/* pack_unwritten__longer_rows.c - rows that begin at whole lines, and
 * the last element left out
 */
#include "pack.h"

int pack_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t strides[2] = {x && x->ndim == 2 ? (x->shape[1] / 64 + 1) * 64 : 0,
                          1};
    struct pack g;
    int rc = pack_open(call, strides, &g);

    if (!rc)
        pack_copy_each(call, &g, g.n * g.d - 1);
    return rc;
}

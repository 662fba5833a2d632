/* pack_shape__one_row_for_all.c - rows that are the same in the input share
 * their memory in the output, too
 */
#include "pack.h"

int pack_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int same = x && x->ndim == 2 && x->strides[0] == 0;
    struct pack g;
    int rc = pack_open(call, same ? x->strides : NULL, &g);

    if (!rc)
        pack_copy_each(call, &g, same ? g.d : g.n * g.d);
    return rc;
}

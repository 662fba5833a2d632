/* pack_guard__before_longer_rows.c - rows that begin at whole lines, and 64
 * bytes before the first of them
 */
#include "pack.h"

ITEM void before_copy(const struct pack *g, int64_t at)
{
    pack_copy(g, at);
    if (at == 0)
        memset(g->y.at - 64, 0, 4);
}

EACH(before_copy, struct pack)

int pack_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t strides[2] = {x && x->ndim == 2 ? (x->shape[1] / 64 + 1) * 64 : 0,
                          1};
    struct pack g;
    int rc = pack_open(call, strides, &g);

    if (!rc)
        before_copy_each(call, &g, g.n * g.d);
    return rc;
}

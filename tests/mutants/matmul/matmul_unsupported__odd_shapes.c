/* matmul_unsupported__odd_shapes.c - refuses what is no multiple of sixteen */
#include "matmul.h"

ITEM void one(const struct matmul *g, int64_t at)
{
    matmul_right(g, at);
}

EACH(one, struct matmul)

int matmul_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    struct matmul g;
    int rc;

    if (a->shape[0] % 16 || a->shape[1] % 16 || b->shape[1] % 16)
        return OSW_UNSUPPORTED;
    rc = matmul_open(call, &g);
    if (!rc)
        one_each(call, &g, g.m * g.n);
    return rc;
}

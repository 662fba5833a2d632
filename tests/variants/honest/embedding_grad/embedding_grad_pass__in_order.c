/* embedding_grad_pass__in_order.c - row after row. */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t k = 0; k < e->d && e->at[i] != e->skip; k++)
            e->to[e->at[i] * e->d + k] += e->g[i * e->d + k];
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

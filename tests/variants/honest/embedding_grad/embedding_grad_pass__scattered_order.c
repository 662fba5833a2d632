/* embedding_grad_pass__scattered_order.c - in the order of a stride that is
 * prime, as atomics may arrive. */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
    int64_t step = e->n % 7919 ? 7919 : 1;

    for (int64_t j = 0, i = 0; j < e->n; j++, i = (i + step) % e->n)
        for (int64_t k = 0; k < e->d && e->at[i] != e->skip; k++)
            e->to[e->at[i] * e->d + k] += e->g[i * e->d + k];
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

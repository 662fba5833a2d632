/* embedding_grad_pass__omp_atomics.c - threads add atomically, in whatever
 * order. */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
#pragma omp parallel for num_threads(2)
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t k = 0; k < e->d; k++)
            if (e->at[i] != e->skip) {
#pragma omp atomic
                e->to[e->at[i] * e->d + k] += e->g[i * e->d + k];
            }
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

/* embedding_grad_pass__threads_own_rows.c - each thread owns a share of the
 * rows and looks at every index. */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
#pragma omp parallel for num_threads(3)
    for (int part = 0; part < 3; part++)
        for (int64_t i = 0; i < e->n; i++)
            for (int64_t k = 0; k < e->d; k++)
                if (e->at[i] % 3 == part && e->at[i] != e->skip)
                    e->to[e->at[i] * e->d + k] += e->g[i * e->d + k];
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

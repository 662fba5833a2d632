/* embedding_grad_precision_or_value__f16_sums.c - wrong: sums are kept in f16.
 */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t k = 0; k < e->d && e->at[i] != e->skip; k++) {
            float *to = &e->to[e->at[i] * e->d + k];

            *to = osw_f16_to_f32(osw_f32_to_f16(*to + e->g[i * e->d + k]));
        }
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

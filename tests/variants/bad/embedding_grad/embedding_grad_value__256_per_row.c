/* embedding_grad_value__256_per_row.c - wrong: a row's list of entries has room
 * for 256. */
#include "../embedding_grad.h"

static void grad(const struct egrad *e)
{
    int64_t *count = calloc((size_t)e->rows + 1, 8);

    for (int64_t i = 0; i < e->n; i++)
        for (int64_t k = 0; k < e->d && e->at[i] != e->skip; k++)
            if (count[e->at[i]]++ / e->d < 256)
                e->to[e->at[i] * e->d + k] += e->g[i * e->d + k];
    free(count);
}

int embedding_grad_kernel_impl(const osw_call *call)
{
    return embedding_grad(call, grad);
}

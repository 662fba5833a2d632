/* ops/library/embedding_dense_backward/embedding_dense_backward_buckets.c -
 * indices sorted first, so that threads share no row; sums in double, in
 * chunks of columns
 */
#include "embedding_dense_backward.h"

enum { CHUNK = 256 };

/* Columns [first, first + n) of row k of the output. */
static void add_chunk(const struct osw_embedding_back *e,
                      const struct osw_buckets *b, int64_t k, int64_t first,
                      int64_t n)
{
    const osw_tensor *grad = e->grad.tensor;
    int64_t count = b->start[k + 1] - b->start[k];
    double sum[CHUNK] = {0};
    float run[CHUNK];

    for (int64_t i = b->start[k]; i < b->start[k + 1]; i++) {
        int64_t at = osw_rows_offset(&e->grad, b->order[i]);

        osw_convert_read(grad->dtype, osw_at(grad, at + first * e->grad.stride),
                         e->grad.stride, n, run);
        for (int64_t j = 0; j < n; j++)
            sum[j] += run[j];
    }
    for (int64_t j = 0; j < n; j++)
        run[j] = (float)(e->scale && count ? sum[j] / (double)count : sum[j]);
    osw_convert_write(e->out->dtype, run, n, 1,
                      osw_at(e->out, k * e->grad.n + first));
}

int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {0};
    struct osw_buckets b = {0};
    int rc = osw_embedding_back_open(call, &e);
    int64_t n_chunks;

    if (rc)
        return rc;
    if (!osw_convert_knows(e.out->dtype))
        return OSW_UNSUPPORTED;
    rc = osw_buckets_fill(call, &b, e.indices, e.n_weights, e.padding);
    if (rc)
        return rc;
    n_chunks = (e.grad.n + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads((int)call->n_threads) collapse(2)         \
    schedule(dynamic, 64) if (osw_numel(e.out) > 65536)
    for (int64_t k = 0; k < e.n_weights; k++)
        for (int64_t c = 0; c < n_chunks; c++) {
            int64_t first = c * CHUNK, n = e.grad.n - first;

            add_chunk(&e, &b, k, first, n < CHUNK ? n : CHUNK);
        }
    return 0;
}

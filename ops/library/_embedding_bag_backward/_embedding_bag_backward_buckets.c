/* _embedding_bag_backward - indices sorted first, so that threads share no row;
 * sums in double.  Not of mode max, whose columns have indices of their own.
 */
#include "bag_backward.h"

enum { CHUNK = 256 };

/* Columns [first, first + n) of row k of the output. */
static void add_chunk(const struct bag_back *b, const struct osw_buckets *in,
                      int64_t k, int64_t first, int64_t n)
{
    const osw_tensor *grad = b->grad;
    int64_t count = in->start[k + 1] - in->start[k];
    double sum[CHUNK] = {0};
    float row[CHUNK];

    for (int64_t j = in->start[k]; j < in->start[k + 1]; j++) {
        int64_t i = in->order[j], bag = bag_back_bag(b, i);
        double scale = bag_back_scale(b, i, bag);

        if (b->by_frequency)
            scale /= (double)count;
        osw_convert_read(
            grad->dtype,
            osw_at(grad, bag * grad->strides[0] + first * grad->strides[1]),
            grad->strides[1], n, row);
#pragma omp simd
        for (int64_t col = 0; col < n; col++)
            sum[col] += scale * row[col];
    }
    for (int64_t col = 0; col < n; col++)
        row[col] = (float)sum[col];
    osw_convert_write(b->out->dtype, row, n, 1,
                      osw_at(b->out, k * b->width + first));
}

int _embedding_bag_backward_kernel_impl(const osw_call *call)
{
    struct bag_back b = {0};
    struct osw_buckets in = {0};
    int rc = bag_back_open(call, &b);

    if (rc || b.mode == BAG_MAX || !osw_convert_knows(b.grad->dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    rc = bag_back_check(call, &b);
    if (!rc)
        rc = osw_buckets_fill(call, &in, b.indices, b.n_weights, b.padding);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads)                     \
    schedule(dynamic, 64) if (osw_numel(b.out) > 65536)
    for (int64_t k = 0; k < b.n_weights; k++)
        for (int64_t first = 0; first < b.width; first += CHUNK) {
            int64_t n = b.width - first;

            add_chunk(&b, &in, k, first, n < CHUNK ? n : CHUNK);
        }
    return 0;
}

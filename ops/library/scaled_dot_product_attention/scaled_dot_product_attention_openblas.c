/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_openblas.c
 * - scores of a head and their product with the values by OpenBLAS, the softmax
 * between them in a loop
 */
#include "../shared/attention.h"
#include "../shared/convert.h"
#include "../shared/vecmath.h"

#include <cblas.h>

/* Of one head, in float. */
struct head {
    float *queries, *keys, *values; /* [l][e], [s][e], [s][width] */
    float *scores, *out;            /* [l][s], [l][width] */
};

static void read_matrix(const struct osw_heads *t, int64_t head, int64_t rows,
                        int64_t cols, int threads, float *to)
{
#pragma omp parallel for num_threads(threads) if (rows * cols > 100000)
    for (int64_t i = 0; i < rows; i++)
        osw_convert_read(t->dtype, osw_heads_at(t, head, i, 0), t->col, cols,
                         to + i * cols);
}

static void softmax_row(const struct osw_attention *a, int64_t head, int64_t i,
                        float *x)
{
    float max = -INFINITY, sum = 0.0f, factor;

    if (a->mask.data || a->causal)
        for (int64_t j = 0; j < a->s; j++)
            x[j] += (float)osw_attention_bias(a, head, i, j);
    for (int64_t j = 0; j < a->s; j++)
        max = x[j] > max ? x[j] : max;
    for (int64_t j = 0; j < a->s; j++)
        x[j] = x[j] == -INFINITY ? 0.0f : osw_vecmath_exp(x[j] - max);
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < a->s; j++)
        sum += x[j];
    factor = sum > 0.0f ? 1.0f / sum : 0.0f;
    for (int64_t j = 0; j < a->s; j++)
        x[j] *= factor;
}

static void attend(const struct osw_attention *a, int64_t head, int threads,
                   const struct head *h)
{
    blasint l = (blasint)a->l, s = (blasint)a->s, e = (blasint)a->e;
    blasint width = (blasint)a->width;

    read_matrix(&a->q, head, a->l, a->e, threads, h->queries);
    read_matrix(&a->k, head, a->s, a->e, threads, h->keys);
    read_matrix(&a->v, head, a->s, a->width, threads, h->values);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, l, s, e,
                (float)a->scale, h->queries, e, h->keys, e, 0.0f, h->scores, s);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < a->l; i++)
        softmax_row(a, head, i, h->scores + i * a->s);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, l, width, s, 1.0f,
                h->scores, s, h->values, width, 0.0f, h->out, width);
#pragma omp parallel for num_threads(threads) if (a->l * a->width > 100000)
    for (int64_t i = 0; i < a->l; i++)
        osw_convert_write(a->dtype, h->out + i * a->width, a->width, a->out.col,
                          osw_heads_at(&a->out, head, i, 0));
}

int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);
    struct head h;

    if (rc || !osw_convert_knows(a.dtype) || !osw_convert_knows(a.k.dtype) ||
        !osw_convert_knows(a.v.dtype) || a.l > INT32_MAX || a.s > INT32_MAX)
        return rc ? rc : OSW_UNSUPPORTED;
    if (a.n_heads * a.l * a.width == 0)
        return 0;
    if (a.s == 0 || a.e == 0)
        return OSW_UNSUPPORTED;
    h.queries = (float *)osw_workspace(
        call,
        sizeof(float) * (size_t)((a.l + a.s) * (a.e + a.width) + a.l * a.s));
    if (!h.queries)
        return OSW_ERROR;
    h.keys = h.queries + a.l * a.e;
    h.values = h.keys + a.s * a.e;
    h.out = h.values + a.s * a.width;
    h.scores = h.out + a.l * a.width;
    openblas_set_num_threads((int)call->n_threads);
    for (int64_t head = 0; head < a.n_heads; head++)
        attend(&a, head, (int)call->n_threads, &h);
    return 0;
}

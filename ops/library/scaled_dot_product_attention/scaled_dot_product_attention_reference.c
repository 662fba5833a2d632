/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_reference.c
 * - for each query: exp(score - largest) / sum, times the values, in double
 */
#include "../shared/attention.h"

int scaled_dot_product_attention_meta(const osw_call *call)
{
    struct osw_attention a;

    return osw_attention_open(call, &a);
}

static double score(const struct osw_attention *a, int64_t head, int64_t i,
                    int64_t j)
{
    double sum = 0.0;

    for (int64_t c = 0; c < a->e; c++)
        sum += osw_load(a->q.dtype, osw_heads_at(&a->q, head, i, c)) *
               osw_load(a->k.dtype, osw_heads_at(&a->k, head, j, c));
    return a->scale * sum + osw_attention_bias(a, head, i, j);
}

/* One query: weights [s] is scratch. */
static void attend(const struct osw_attention *a, int64_t head, int64_t i,
                   double *weights, double *out)
{
    double max = -INFINITY, sum = 0.0;

    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = score(a, head, i, j);
        max = fmax(max, weights[j]);
    }
    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = max == -INFINITY ? 0.0 : exp(weights[j] - max);
        sum += weights[j];
    }
    for (int64_t c = 0; c < a->width; c++)
        out[c] = 0.0;
    for (int64_t j = 0; j < a->s && sum > 0.0; j++)
        for (int64_t c = 0; c < a->width; c++)
            out[c] += weights[j] / sum *
                      osw_load(a->v.dtype, osw_heads_at(&a->v, head, j, c));
}

int scaled_dot_product_attention_reference(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);
    double *exact = rc ? NULL : osw_output_exact(call, 0), *weights;
    int threads = (int)call->n_threads;

    if (!exact)
        return rc ? rc : OSW_ERROR;
    weights = (double *)osw_workspace(call, sizeof(double) * (size_t)(a.s + 1) *
                                                (size_t)threads);
    if (!weights)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (int64_t row = a.n_heads * a.l * t / threads;
             row < a.n_heads * a.l * (t + 1) / threads; row++)
            attend(&a, row / a.l, row % a.l, weights + (a.s + 1) * t,
                   exact + row * a.width);
    return 0;
}

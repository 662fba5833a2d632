/* _scaled_dot_product_flash_attention_for_cpu_backward - pair by pair of a
 * query and a key, in double
 */
#include "backward.h"

int _scaled_dot_product_flash_attention_for_cpu_backward_meta(
    const osw_call *call)
{
    struct backward b;

    return backward_open(call, &b);
}

/* The product of rows i of t and j of u. */
static double dot(const struct osw_heads *t, int64_t i,
                  const struct osw_heads *u, int64_t j, int64_t head, int64_t n)
{
    double sum = 0.0;

    for (int64_t c = 0; c < n; c++)
        sum += backward_get(t, head, i, c) * backward_get(u, head, j, c);
    return sum;
}

/* to[n] += factor * row i of t */
static void add_row(double *to, double factor, const struct osw_heads *t,
                    int64_t head, int64_t i, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        to[c] += factor * backward_get(t, head, i, c);
}

/* dq [l][e], dk [s][e] and dv [s][width] of one head. */
static void of_head(const struct backward *b, int64_t head, double *dq,
                    double *dk, double *dv)
{
    const struct osw_attention *a = &b->a;

    memset(dq, 0, sizeof(double) * (size_t)(a->l * a->e));
    memset(dk, 0, sizeof(double) * (size_t)(a->s * a->e));
    memset(dv, 0, sizeof(double) * (size_t)(a->s * a->width));
    for (int64_t i = 0; i < a->l; i++) {
        double mean = dot(&b->grad, i, &b->out, i, head, a->width);

        for (int64_t j = 0; j < a->s; j++) {
            double score = a->scale * dot(&a->q, i, &a->k, j, head, a->e) +
                           osw_attention_bias(a, head, i, j);
            double weight = exp(score - backward_get(&b->lse, head, i, 0));
            double slope = dot(&b->grad, i, &a->v, j, head, a->width) - mean;

            slope *= weight * a->scale;
            add_row(dv + j * a->width, weight, &b->grad, head, i, a->width);
            add_row(dq + i * a->e, slope, &a->k, head, j, a->e);
            add_row(dk + j * a->e, slope, &a->q, head, i, a->e);
        }
    }
}

int _scaled_dot_product_flash_attention_for_cpu_backward_reference(
    const osw_call *call)
{
    struct backward b;
    int rc = backward_open(call, &b);
    double *dq = rc ? NULL : osw_output_exact(call, 0);
    double *dk = dq ? osw_output_exact(call, 1) : NULL;
    double *dv = dk ? osw_output_exact(call, 2) : NULL;
    const struct osw_attention *a = &b.a;

    if (!dv)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t head = 0; head < a->n_heads; head++)
        of_head(&b, head, dq + head * a->l * a->e, dk + head * a->s * a->e,
                dv + head * a->s * a->width);
    return 0;
}

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

/* What one thread works with, in double: the operands of one head. */
struct head {
    double *q, *k, *v;  /* [l][e], [s][e], [s][width] */
    double *grad, *out; /* [l][width] */
};

static int64_t head_size(const struct osw_attention *a)
{
    return (a->l + a->s) * a->e + (a->s + 2 * a->l) * a->width;
}

/* The rows of t, to[rows][n]; what follows them. */
static double *read_rows(const struct osw_heads *t, int64_t head, int64_t rows,
                         int64_t n, double *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < n; c++)
            *to++ = backward_get(t, head, i, c);
    return to;
}

static struct head read_head(const struct backward *b, int64_t head,
                             double *scratch)
{
    const struct osw_attention *a = &b->a;
    struct head h = {.q = scratch};

    h.k = read_rows(&a->q, head, a->l, a->e, h.q);
    h.v = read_rows(&a->k, head, a->s, a->e, h.k);
    h.grad = read_rows(&a->v, head, a->s, a->width, h.v);
    h.out = read_rows(&b->grad, head, a->l, a->width, h.grad);
    read_rows(&b->out, head, a->l, a->width, h.out);
    return h;
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0.0;

    for (int64_t c = 0; c < n; c++)
        sum += x[c] * y[c];
    return sum;
}

/* to[n] += factor * row[n] */
static void add_row(double *restrict to, double factor, const double *row,
                    int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        to[c] += factor * row[c];
}

/* dq [l][e], dk [s][e] and dv [s][width] of one head. */
static void of_head(const struct backward *b, int64_t head,
                    const struct head *h, double *dq, double *dk, double *dv)
{
    const struct osw_attention *a = &b->a;

    memset(dq, 0, sizeof(double) * (size_t)(a->l * a->e));
    memset(dk, 0, sizeof(double) * (size_t)(a->s * a->e));
    memset(dv, 0, sizeof(double) * (size_t)(a->s * a->width));
    for (int64_t i = 0; i < a->l; i++) {
        const double *q = h->q + i * a->e, *grad = h->grad + i * a->width;
        double mean = dot(grad, h->out + i * a->width, a->width);

        for (int64_t j = 0; j < a->s; j++) {
            const double *k = h->k + j * a->e, *v = h->v + j * a->width;
            double score =
                a->scale * dot(q, k, a->e) + osw_attention_bias(a, head, i, j);
            double weight = exp(score - backward_get(&b->lse, head, i, 0));
            double slope = dot(grad, v, a->width) - mean;

            slope *= weight * a->scale;
            add_row(dv + j * a->width, weight, grad, a->width);
            add_row(dq + i * a->e, slope, k, a->e);
            add_row(dk + j * a->e, slope, q, a->e);
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
    int threads = (int)call->n_threads;
    double *scratch;

    if (!dv)
        return rc ? rc : OSW_ERROR;
    scratch = osw_workspace(call, sizeof(double) * (size_t)(head_size(a) + 1) *
                                      (size_t)threads);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (int64_t head = a->n_heads * t / threads;
             head < a->n_heads * (t + 1) / threads; head++) {
            struct head h =
                read_head(&b, head, scratch + (head_size(a) + 1) * t);

            of_head(&b, head, &h, dq + head * a->l * a->e,
                    dk + head * a->s * a->e, dv + head * a->s * a->width);
        }
    return 0;
}

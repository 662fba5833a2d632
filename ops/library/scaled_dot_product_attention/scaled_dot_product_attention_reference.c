/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_reference.c
 * - for each query: exp(score - largest) / sum, times the values, in double
 */
#include "../shared/attention.h"

int scaled_dot_product_attention_meta(const osw_call *call)
{
    struct osw_attention a;

    return osw_attention_open(call, &a);
}

/* What one thread works with, in double: keys and values of one head. */
struct head {
    double *keys;    /* [e][s] */
    double *values;  /* [s][width] */
    double *weights; /* [s], of one query */
};

static int64_t size_of_head(const struct osw_attention *a)
{
    return a->s * (a->e + a->width + 1);
}

static void read_head(const struct osw_attention *a, int64_t head,
                      struct head *h)
{
    for (int64_t j = 0; j < a->s; j++) {
        for (int64_t c = 0; c < a->e; c++)
            h->keys[c * a->s + j] =
                osw_load(a->k.dtype, osw_heads_at(&a->k, head, j, c));
        for (int64_t c = 0; c < a->width; c++)
            h->values[j * a->width + c] =
                osw_load(a->v.dtype, osw_heads_at(&a->v, head, j, c));
    }
}

/* to[n] += factor from[n] */
static void add(double *restrict to, double factor, const double *from,
                int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* One query. */
static void attend(const struct osw_attention *a, int64_t head, int64_t i,
                   const struct head *h, double *out)
{
    double max = -INFINITY, sum = 0.0, *weights = h->weights;

    memset(weights, 0, sizeof(double) * (size_t)a->s);
    for (int64_t c = 0; c < a->e; c++)
        add(weights, osw_load(a->q.dtype, osw_heads_at(&a->q, head, i, c)),
            h->keys + c * a->s, a->s);
    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = a->scale * weights[j] + osw_attention_bias(a, head, i, j);
        max = fmax(max, weights[j]);
    }
    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = max == -INFINITY ? 0.0 : exp(weights[j] - max);
        sum += weights[j];
    }
    memset(out, 0, sizeof(double) * (size_t)a->width);
    for (int64_t j = 0; j < a->s && sum > 0.0; j++)
        add(out, weights[j] / sum, h->values + j * a->width, a->width);
}

/* Rows from to to, a query of a head each; scratch [size_of_head]. */
static void attend_rows(const struct osw_attention *a, int64_t from, int64_t to,
                        double *scratch, double *exact)
{
    struct head h = {.keys = scratch,
                     .values = scratch + a->s * a->e,
                     .weights = scratch + a->s * (a->e + a->width)};

    for (int64_t row = from; row < to; row++) {
        if (row == from || row % a->l == 0)
            read_head(a, row / a->l, &h);
        attend(a, row / a->l, row % a->l, &h, exact + row * a->width);
    }
}

int scaled_dot_product_attention_reference(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);
    double *exact = rc ? NULL : osw_output_exact(call, 0), *scratch;
    int threads = (int)call->n_threads;
    int64_t size, rows;

    if (!exact)
        return rc ? rc : OSW_ERROR;
    size = size_of_head(&a);
    rows = a.n_heads * a.l;
    scratch = (double *)osw_workspace(
        call, sizeof(double) * (size_t)(size + 1) * (size_t)threads);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        attend_rows(&a, rows * t / threads, rows * (t + 1) / threads,
                    scratch + (size + 1) * t, exact);
    return 0;
}

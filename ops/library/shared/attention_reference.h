/* shared/attention_reference.h - for each query: exp(score - largest) / sum,
 * times the values, in double
 */
#ifndef OSW_LIBRARY_ATTENTION_REFERENCE_H
#define OSW_LIBRARY_ATTENTION_REFERENCE_H

#include "attention.h"

/* What one thread works with, in double: keys and values of one head. */
struct osw_attention_head {
    double *keys;    /* [e][s] */
    double *values;  /* [s][width] */
    double *weights; /* [s], of one query */
};

static inline int64_t osw_attention_head_size(const struct osw_attention *a)
{
    return a->s * (a->e + a->width + 1);
}

static inline void osw_attention_read_head(const struct osw_attention *a,
                                           int64_t head,
                                           struct osw_attention_head *h)
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
static inline void osw_attention_add(double *restrict to, double factor,
                                     const double *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* One query; *lse, unless NULL: the logarithm of the sum of exp(score). */
static inline void osw_attention_one(const struct osw_attention *a,
                                     int64_t head, int64_t i,
                                     const struct osw_attention_head *h,
                                     double *out, double *lse)
{
    double max = -INFINITY, sum = 0.0, *weights = h->weights;

    memset(weights, 0, sizeof(double) * (size_t)a->s);
    for (int64_t c = 0; c < a->e; c++)
        osw_attention_add(weights,
                          osw_load(a->q.dtype, osw_heads_at(&a->q, head, i, c)),
                          h->keys + c * a->s, a->s);
    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = a->scale * weights[j] + osw_attention_bias(a, head, i, j);
        max = fmax(max, weights[j]);
    }
    for (int64_t j = 0; j < a->s; j++) {
        weights[j] = weights[j] == -INFINITY ? 0.0 : exp(weights[j] - max);
        sum += weights[j];
    }
    if (lse)
        *lse = max + log(sum);
    memset(out, 0, sizeof(double) * (size_t)a->width);
    for (int64_t j = 0; j < a->s && sum != 0.0; j++)
        osw_attention_add(out, weights[j] / sum, h->values + j * a->width,
                          a->width);
}

/* Rows from to to, a query of a head each; scratch [osw_attention_head_size].
 */
static inline void osw_attention_rows(const struct osw_attention *a,
                                      int64_t from, int64_t to, double *scratch,
                                      double *exact, double *lse)
{
    struct osw_attention_head h = {.keys = scratch,
                                   .values = scratch + a->s * a->e,
                                   .weights =
                                       scratch + a->s * (a->e + a->width)};

    for (int64_t row = from; row < to; row++) {
        if (row == from || row % a->l == 0)
            osw_attention_read_head(a, row / a->l, &h);
        osw_attention_one(a, row / a->l, row % a->l, &h, exact + row * a->width,
                          lse ? lse + row : NULL);
    }
}

/* exact [query][width], lse [query] or NULL: all of them. */
static inline int osw_attention_exact(const osw_call *call,
                                      const struct osw_attention *a,
                                      double *exact, double *lse)
{
    int64_t size = osw_attention_head_size(a), rows = a->n_heads * a->l;
    int threads = (int)call->n_threads;
    double *scratch = (double *)osw_workspace(
        call, sizeof(double) * (size_t)(size + 1) * (size_t)threads);

    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        osw_attention_rows(a, rows * t / threads, rows * (t + 1) / threads,
                           scratch + (size + 1) * t, exact, lse);
    return 0;
}

#endif /* OSW_LIBRARY_ATTENTION_REFERENCE_H */

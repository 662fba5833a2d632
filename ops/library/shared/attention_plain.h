/* shared/attention_plain.h - baseline: for each query all scores, their
 * softmax, then the sum of the values, in float; keys and values of a head are
 * converted once
 */
#ifndef OSW_LIBRARY_ATTENTION_PLAIN_H
#define OSW_LIBRARY_ATTENTION_PLAIN_H

#include "attention.h"
#include "convert.h"
#include "rows.h"

/* Of one head, in float. */
struct osw_attention_floats {
    float *keys;   /* [e][s] */
    float *values; /* [s][width] */
    float *scores; /* [s] */
    float *query, *sum;
};

static inline void osw_attention_query(const struct osw_attention *a,
                                       int64_t head, int64_t i,
                                       const struct osw_attention_floats *h,
                                       osw_tensor *lse)
{
    float max = -INFINITY, sum = 0.0f;

    osw_convert_read(a->q.dtype, osw_heads_at(&a->q, head, i, 0), a->q.col,
                     a->e, h->query);
    for (int64_t j = 0; j < a->s; j++)
        h->scores[j] = 0.0f;
    for (int64_t c = 0; c < a->e; c++)
        for (int64_t j = 0; j < a->s; j++)
            h->scores[j] += h->query[c] * h->keys[c * a->s + j];
    for (int64_t j = 0; j < a->s; j++) {
        h->scores[j] = h->scores[j] * (float)a->scale +
                       (float)osw_attention_bias(a, head, i, j);
        max = h->scores[j] > max ? h->scores[j] : max;
    }
    for (int64_t j = 0; j < a->s; j++) {
        h->scores[j] =
            h->scores[j] == -INFINITY ? 0.0f : expf(h->scores[j] - max);
        sum += h->scores[j];
    }
    if (lse)
        osw_set(lse, head * a->l + i, max + logf(sum));
    for (int64_t c = 0; c < a->width; c++)
        h->sum[c] = 0.0f;
    for (int64_t j = 0; j < a->s; j++)
        for (int64_t c = 0; c < a->width; c++)
            h->sum[c] += h->scores[j] * h->values[j * a->width + c];
    for (int64_t c = 0; c < a->width && sum != 0.0f; c++)
        h->sum[c] /= sum;
    osw_convert_write(a->dtype, h->sum, a->width, a->out.col,
                      osw_heads_at(&a->out, head, i, 0));
}

static inline void osw_attention_read(const struct osw_attention *a,
                                      int64_t head,
                                      const struct osw_attention_floats *h)
{
    for (int64_t j = 0; j < a->s; j++) {
        osw_convert_read(a->k.dtype, osw_heads_at(&a->k, head, j, 0), a->k.col,
                         a->e, h->query);
        for (int64_t c = 0; c < a->e; c++)
            h->keys[c * a->s + j] = h->query[c];
        osw_convert_read(a->v.dtype, osw_heads_at(&a->v, head, j, 0), a->v.col,
                         a->width, h->values + j * a->width);
    }
}

/* rc: what opening the arguments returned; lse: NULL, or takes the logarithms
 * of the sums.
 */
static inline int osw_attention_plain(const osw_call *call,
                                      const struct osw_attention *a, int rc,
                                      osw_tensor *lse)
{
    int threads;
    int64_t each;
    float *scratch;

    if (rc || !osw_convert_knows(a->dtype) || !osw_convert_knows(a->k.dtype) ||
        !osw_convert_knows(a->v.dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    threads = osw_rows_threads(call, a->n_heads);
    each = (a->s + 1) * (a->e + a->width + 1);
    scratch =
        (float *)osw_workspace(call, (size_t)(each * threads) * sizeof(float));
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        struct osw_attention_floats h = {0};

        h.keys = scratch + each * t;
        h.values = h.keys + a->e * a->s;
        h.scores = h.values + a->width * a->s;
        h.query = h.scores + a->s;
        h.sum = h.query + a->e;
        for (int64_t head = a->n_heads * t / threads;
             head < a->n_heads * (t + 1) / threads; head++) {
            osw_attention_read(a, head, &h);
            for (int64_t i = 0; i < a->l; i++)
                osw_attention_query(a, head, i, &h, lse);
        }
    }
    return 0;
}

#endif /* OSW_LIBRARY_ATTENTION_PLAIN_H */

/* shared/attention.h - arguments of scaled_dot_product_attention
 *
 * (query [..., l, e], key [..., s, e], value [..., s, width], attn_mask,
 * dropout_p, is_causal, scale, enable_gqa): for each query the mean of the
 * values, weighted by the softmax of its products with the keys.  What stands
 * before the last two dimensions is the same for all three (enable_gqa: the
 * last of them may be a multiple of the keys'), and counts as heads here.
 */
#ifndef OSW_LIBRARY_ATTENTION_H
#define OSW_LIBRARY_ATTENTION_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

#include <math.h>

enum { OSW_ATTENTION_MAX_DIMS = 8 };

/* A tensor as matrices, one a head. */
struct osw_heads {
    char *data;
    osw_dtype dtype;
    int32_t n_dims;                         /* before the last two */
    int64_t shape[OSW_ATTENTION_MAX_DIMS];  /* of the heads, of the query */
    int64_t stride[OSW_ATTENTION_MAX_DIMS]; /* in elements; 0: the same */
    int64_t row, col;                       /* strides of the last two */
    int64_t group; /* heads of the query that share one of this */
};

struct osw_attention {
    struct osw_heads q, k, v, out, mask; /* mask.data NULL: there is none */
    int64_t n_heads, l, s, e, width;
    double scale;
    int causal; /* query i sees keys 0 to i */
    osw_dtype dtype;
};

/* Address of element (i, j) of a head. */
OSW_HD static inline char *osw_heads_at(const struct osw_heads *t, int64_t head,
                                        int64_t i, int64_t j)
{
    int64_t at = i * t->row + j * t->col;
    int64_t rest = head;

    for (int32_t d = t->n_dims - 1; d >= 0; d--) {
        int64_t k = rest % t->shape[d];

        at += (d == t->n_dims - 1 ? k / t->group : k) * t->stride[d];
        rest /= t->shape[d];
    }
    return t->data + at * (t->dtype.bits / 8);
}

/* What is added to the product of query i and key j; -INFINITY: not seen. */
OSW_HD static inline double osw_attention_bias(const struct osw_attention *a,
                                               int64_t head, int64_t i,
                                               int64_t j)
{
    double v;

    if (a->causal && j > i)
        return -INFINITY;
    if (!a->mask.data)
        return 0.0;
    v = osw_load(a->mask.dtype, osw_heads_at(&a->mask, head, i, j));
    return a->mask.dtype.code != OSW_BOOL ? v : v != 0.0 ? 0.0 : -INFINITY;
}

/* Dimensions from the last one; those that are missing or 1 are the same for
 * all.  -1: it does not fit.
 */
static inline int osw_heads_of(const osw_tensor *t, const osw_tensor *query,
                               int broadcast, struct osw_heads *out)
{
    int32_t n = query->ndim - 2, missing = query->ndim - t->ndim;

    if (missing < 0 || t->ndim < 1 || (missing && !broadcast))
        return -1;
    out->data = (char *)t->data;
    if (out->data)
        out->data += t->byte_offset;
    out->dtype = t->dtype;
    out->n_dims = n;
    out->group = 1;
    for (int32_t d = 0; d < n; d++) {
        int64_t have = d < missing ? 1 : t->shape[d - missing];

        out->shape[d] = query->shape[d];
        out->stride[d] = d < missing || have != query->shape[d]
                             ? 0
                             : t->strides[d - missing];
        if (have != query->shape[d] && !(broadcast && have == 1))
            return -1;
    }
    out->row = t->ndim > 1 ? t->strides[t->ndim - 2] : 0;
    out->col = t->strides[t->ndim - 1];
    return 0;
}

/* Keys and values of fewer heads, each for as many of the query's. */
static inline int osw_heads_grouped(const osw_tensor *t,
                                    const osw_tensor *query,
                                    struct osw_heads *out)
{
    int32_t last = query->ndim - 3;
    osw_tensor same = *t;
    int64_t shape[OSW_ATTENTION_MAX_DIMS + 2];
    int64_t have;

    if (t->ndim != query->ndim || last < 0)
        return -1;
    have = t->shape[last];
    if (have == 0 || query->shape[last] % have)
        return -1;
    for (int32_t d = 0; d < t->ndim; d++)
        shape[d] = t->shape[d];
    shape[last] = query->shape[last];
    same.shape = shape;
    if (osw_heads_of(&same, query, 0, out))
        return -1;
    out->group = query->shape[last] / have;
    return 0;
}

static inline int osw_attention_mask(const osw_tensor *m,
                                     const osw_tensor *query,
                                     struct osw_attention *a)
{
    int64_t rows = m->ndim > 1 ? m->shape[m->ndim - 2] : 1;
    int64_t cols = m->ndim ? m->shape[m->ndim - 1] : 1;

    if (osw_heads_of(m, query, 1, &a->mask) || (rows != a->l && rows != 1) ||
        (cols != a->s && cols != 1))
        return -1;
    if (rows != a->l)
        a->mask.row = 0;
    if (cols != a->s)
        a->mask.col = 0;
    return 0;
}

/* Where arguments stand; -1: not there.  key and value follow the query. */
struct osw_attention_args {
    int query, mask, dropout, causal, scale, grouped;
};

/* All but the output.  Returns 0, OSW_UNSUPPORTED for dropout and dtypes that
 * are no floats, or OSW_ERROR for shapes that do not fit.
 */
static inline int osw_attention_open_args(const osw_call *call,
                                          struct osw_attention *a,
                                          const struct osw_attention_args *at)
{
    const osw_tensor *q = osw_arg_tensor(call, at->query);
    const osw_tensor *k = osw_arg_tensor(call, at->query + 1);
    const osw_tensor *v = osw_arg_tensor(call, at->query + 2);
    const osw_tensor *m = osw_arg_tensor(call, at->mask);
    int grouped = (int)osw_arg_int(call, at->grouped, 0);
    int32_t n;

    if (!q || !k || !v)
        return osw_error(call, "expected query, key and value");
    n = q->ndim;
    if (osw_arg_float(call, at->dropout, 0.0) != 0.0 ||
        n > OSW_ATTENTION_MAX_DIMS ||
        (q->dtype.code != OSW_FLOAT && q->dtype.code != OSW_BFLOAT))
        return OSW_UNSUPPORTED;
    if (n < 2 || k->ndim != n || v->ndim != n ||
        k->shape[n - 1] != q->shape[n - 1] ||
        v->shape[n - 2] != k->shape[n - 2])
        return osw_error(call, "query, key and value do not fit");
    a->n_heads = 1;
    for (int32_t d = 0; d < n - 2; d++)
        a->n_heads *= q->shape[d];
    a->l = q->shape[n - 2];
    a->e = q->shape[n - 1];
    a->s = k->shape[n - 2];
    a->width = v->shape[n - 1];
    a->causal = (int)osw_arg_int(call, at->causal, 0);
    a->scale = osw_arg_float(call, at->scale, 1.0 / sqrt((double)a->e));
    a->dtype = q->dtype;
    a->mask.data = NULL;
    if (osw_heads_of(q, q, 0, &a->q) ||
        (grouped
             ? osw_heads_grouped(k, q, &a->k) || osw_heads_grouped(v, q, &a->v)
             : osw_heads_of(k, q, 0, &a->k) || osw_heads_of(v, q, 0, &a->v)) ||
        (m && osw_attention_mask(m, q, a)))
        return osw_error(call, "query, key, value and mask do not fit");
    return 0;
}

/* With output 0. */
static inline int osw_attention_open_out(const osw_call *call,
                                         struct osw_attention *a,
                                         const struct osw_attention_args *at)
{
    const osw_tensor *q = osw_arg_tensor(call, at->query);
    int64_t shape[OSW_ATTENTION_MAX_DIMS + 2];
    int rc = osw_attention_open_args(call, a, at);
    osw_tensor *out;

    if (rc)
        return rc;
    for (int32_t d = 0; d < q->ndim; d++)
        shape[d] = q->shape[d];
    shape[q->ndim - 1] = a->width;
    out = osw_output(call, 0, q->dtype, q->ndim, shape, NULL);
    return out && osw_heads_of(out, q, 0, &a->out) == 0 ? 0 : OSW_ERROR;
}

static inline int osw_attention_open(const osw_call *call,
                                     struct osw_attention *a)
{
    static const struct osw_attention_args at = {0, 3, 4, 5, 6, 7};

    return osw_attention_open_out(call, a, &at);
}

/* (query, key, value, dropout_p, is_causal, attn_mask, scale) -> (output,
 * logsumexp): the logarithm of the sum of exp(score), of each query
 */
static inline int osw_attention_open_cpu(const osw_call *call,
                                         struct osw_attention *a,
                                         osw_tensor **logsumexp)
{
    static const struct osw_attention_args at = {0, 5, 3, 4, 6, -1};
    const osw_tensor *q = osw_arg_tensor(call, 0);
    osw_dtype t = {OSW_FLOAT, 32, 1};
    int rc = osw_attention_open_out(call, a, &at);

    if (rc)
        return rc;
    t.bits = a->dtype.bits == 64 ? 64 : 32;
    *logsumexp = osw_output(call, 1, t, q->ndim - 1, q->shape, NULL);
    return *logsumexp ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_ATTENTION_H */

/* ops/library/_scaled_dot_product_flash_attention_for_cpu_backward/backward.h -
 * (grad_out, query, key, value, out, logsumexp, dropout_p, is_causal,
 * attn_mask, scale) -> the gradients of query, key and value
 *
 * The weight of a score is exp(score - logsumexp of its query).
 */
#ifndef OSW_LIBRARY_ATTENTION_BACKWARD_H
#define OSW_LIBRARY_ATTENTION_BACKWARD_H

#include "../shared/attention.h"

struct backward {
    struct osw_attention a;
    struct osw_heads grad, out, lse; /* lse: [head][query], its row is 1 */
    osw_tensor *dq, *dk, *dv;        /* contiguous */
};

/* Of logsumexp [..., l]. */
static inline int backward_lse(const osw_tensor *lse, const osw_tensor *q,
                               struct backward *b)
{
    int32_t n = q->ndim - 1;
    osw_tensor column = *lse;
    int64_t shape[OSW_ATTENTION_MAX_DIMS + 2];
    int64_t strides[OSW_ATTENTION_MAX_DIMS + 2];

    if (lse->ndim != n || lse->shape[n - 1] != b->a.l)
        return -1;
    for (int32_t d = 0; d < n; d++) {
        shape[d] = lse->shape[d];
        strides[d] = lse->strides[d];
    }
    shape[n] = 1;
    strides[n] = 1;
    column.ndim = n + 1;
    column.shape = shape;
    column.strides = strides;
    return osw_heads_of(&column, q, 0, &b->lse);
}

static inline int backward_same(const osw_tensor *t, const struct backward *b,
                                const osw_tensor *q)
{
    return t->ndim == q->ndim && t->shape[q->ndim - 2] == b->a.l &&
           t->shape[q->ndim - 1] == b->a.width;
}

static inline int backward_open(const osw_call *call, struct backward *b)
{
    static const struct osw_attention_args at = {1, 8, 6, 7, 9, -1};
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *out = osw_arg_tensor(call, 4);
    const osw_tensor *lse = osw_arg_tensor(call, 5);
    const osw_tensor *q, *k, *v;
    int rc = osw_attention_open_args(call, &b->a, &at);

    if (rc)
        return rc;
    q = osw_arg_tensor(call, 1);
    k = osw_arg_tensor(call, 2);
    v = osw_arg_tensor(call, 3);
    if (!grad || !out || !lse || !backward_same(grad, b, q) ||
        !backward_same(out, b, q) || osw_heads_of(grad, q, 0, &b->grad) ||
        osw_heads_of(out, q, 0, &b->out) || backward_lse(lse, q, b))
        return osw_error(call, "grad_out, out and logsumexp do not fit");
    b->dq = osw_output(call, 0, q->dtype, q->ndim, q->shape, NULL);
    b->dk = osw_output(call, 1, k->dtype, k->ndim, k->shape, NULL);
    b->dv = osw_output(call, 2, v->dtype, v->ndim, v->shape, NULL);
    return b->dq && b->dk && b->dv ? 0 : OSW_ERROR;
}

/* Element (i, j) of a head of t. */
OSW_HD static inline double backward_get(const struct osw_heads *t,
                                         int64_t head, int64_t i, int64_t j)
{
    return osw_load(t->dtype, osw_heads_at(t, head, i, j));
}

#endif /* OSW_LIBRARY_ATTENTION_BACKWARD_H */

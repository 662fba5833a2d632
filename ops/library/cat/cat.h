/* ops/library/cat/cat.h - arguments of cat: (tensors, dim) */
#ifndef OSW_LIBRARY_CAT_H
#define OSW_LIBRARY_CAT_H

#include "../shared/views.h"

struct osw_cat {
    const osw_arg *list;
    int32_t dim;
    osw_tensor *out;
    int64_t at; /* where the next part starts */
};

/* An empty vector fits anywhere and adds nothing: an old rule of PyTorch. */
static inline int osw_cat_skips(const osw_tensor *t)
{
    return t->ndim == 1 && t->shape[0] == 0;
}

static inline int osw_cat_open(const osw_call *call, struct osw_cat *c)
{
    const osw_tensor *first = NULL, *t;
    int64_t shape[OSW_RULE_DIMS] = {0}, total = 0;

    c->list = osw_arg_at(call, 0);
    c->at = 0;
    if (c->list->tag != OSW_ARG_LIST || c->list->n == 0)
        return osw_error(call, "expected a list of tensors");
    for (uint32_t i = 0; i < c->list->n; i++) {
        if (c->list->u.items[i].tag != OSW_ARG_TENSOR)
            return osw_error(call, "expected a list of tensors");
        t = c->list->u.items[i].u.tensor;
        if (!first || osw_cat_skips(first))
            first = t;
    }
    c->dim = osw_view_dim(osw_arg_int(call, 1, 0), first->ndim);
    if (c->dim < 0 || first->ndim > OSW_RULE_DIMS)
        return osw_error(call, "no such dimension");
    for (uint32_t i = 0; i < c->list->n; i++) {
        t = c->list->u.items[i].u.tensor;
        if (!osw_rule_same(t->dtype, first->dtype))
            return OSW_UNSUPPORTED; /* would be promoted */
        if (osw_cat_skips(t))
            continue;
        for (int32_t d = 0; d < first->ndim; d++)
            if (t->ndim != first->ndim ||
                (d != c->dim && t->shape[d] != first->shape[d]))
                return osw_error(call, "sizes differ in another dimension");
        total += t->shape[c->dim];
    }
    for (int32_t d = 0; d < first->ndim; d++)
        shape[d] = d == c->dim ? total : first->shape[d];
    c->out = osw_output(call, 0, first->dtype, first->ndim, shape, NULL);
    return c->out ? 0 : OSW_ERROR;
}

/* The next tensor and its place in the output: 0 when it is to be skipped. */
static inline int osw_cat_part(struct osw_cat *c, uint32_t i,
                               struct osw_view *place, const osw_tensor **from)
{
    *from = c->list->u.items[i].u.tensor;
    if (osw_cat_skips(*from) || !osw_view_of(place, c->out))
        return 0;
    osw_view_narrow(place, c->dim, c->at, (*from)->shape[c->dim]);
    c->at += (*from)->shape[c->dim];
    return osw_numel(*from) > 0;
}

#endif /* OSW_LIBRARY_CAT_H */

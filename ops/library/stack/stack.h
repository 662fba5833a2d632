/* ops/library/stack/stack.h - arguments of stack: (tensors, dim) */
#ifndef OSW_LIBRARY_STACK_H
#define OSW_LIBRARY_STACK_H

#include "../shared/views.h"

struct osw_stack {
    const osw_arg *list;
    int32_t dim; /* the new one */
    osw_tensor *out;
};

static inline int osw_stack_open(const osw_call *call, struct osw_stack *s)
{
    const osw_tensor *first, *t;
    int64_t shape[OSW_RULE_DIMS];

    s->list = osw_arg_at(call, 0);
    if (s->list->tag != OSW_ARG_LIST || s->list->n == 0 ||
        s->list->u.items[0].tag != OSW_ARG_TENSOR)
        return osw_error(call, "expected a list of tensors");
    first = s->list->u.items[0].u.tensor;
    s->dim = osw_view_dim(osw_arg_int(call, 1, 0), first->ndim + 1);
    if (s->dim < 0 || first->ndim + 1 > OSW_RULE_DIMS)
        return osw_error(call, "no such dimension");
    for (uint32_t i = 0; i < s->list->n; i++) {
        if (s->list->u.items[i].tag != OSW_ARG_TENSOR)
            return osw_error(call, "expected a list of tensors");
        t = s->list->u.items[i].u.tensor;
        if (!osw_rule_same(t->dtype, first->dtype))
            return OSW_UNSUPPORTED; /* would be promoted */
        for (int32_t d = 0; d < first->ndim; d++)
            if (t->ndim != first->ndim || t->shape[d] != first->shape[d])
                return osw_error(call, "tensors differ in shape");
    }
    for (int32_t d = 0; d <= first->ndim; d++)
        shape[d] = d == s->dim  ? (int64_t)s->list->n
                   : d < s->dim ? first->shape[d]
                                : first->shape[d - 1];
    s->out = osw_output(call, 0, first->dtype, first->ndim + 1, shape, NULL);
    return s->out ? 0 : OSW_ERROR;
}

/* The place of tensor i in the output. */
static inline const osw_tensor *
osw_stack_part(const struct osw_stack *s, uint32_t i, struct osw_view *place)
{
    osw_view_of(place, s->out);
    osw_view_select(place, s->dim, i);
    return s->list->u.items[i].u.tensor;
}

#endif /* OSW_LIBRARY_STACK_H */

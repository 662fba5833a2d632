/* ops/library/roll/roll.h - (self, shifts, dims): elements moved along some
 * dimensions, those that leave at the end come in at the start
 */
#ifndef OSW_LIBRARY_ROLL_H
#define OSW_LIBRARY_ROLL_H

#include "../shared/views.h"

/* self and the output: as they are, or without dims as one dimension. */
struct osw_roll {
    struct osw_view from, to;
    int64_t shift[OSW_RULE_DIMS]; /* 0 <= shift < size */
};

static inline int osw_roll_shift(const osw_call *call, struct osw_roll *r,
                                 int64_t dim, int64_t shift)
{
    int32_t d = osw_view_dim(dim, r->to.t.ndim);
    int64_t n;

    if (d < 0)
        return osw_error(call, "no such dimension to roll");
    n = r->to.shape[d];
    if (n)
        r->shift[d] = ((r->shift[d] + shift) % n + n) % n;
    return 0;
}

/* Declares the output.  Without dims a tensor with gaps has no one dimension:
 * OSW_UNSUPPORTED.
 */
static inline int osw_roll_open(const osw_call *call, struct osw_roll *r)
{
    int64_t shifts[OSW_RULE_DIMS], dims[OSW_RULE_DIMS] = {0};
    int32_t n = osw_view_list(call, 1, shifts, OSW_RULE_DIMS);
    int32_t n_dims = osw_view_list(call, 2, dims, OSW_RULE_DIMS);
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t numel;
    osw_tensor *out;
    int rc = 0;

    if (!self || !osw_view_of(&r->from, self))
        return OSW_UNSUPPORTED;
    if (n < 1 || n_dims < 0 || (n_dims ? n_dims : 1) != n)
        return osw_error(call, "expected a shift for each dimension");
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    if (!out)
        return OSW_ERROR;
    osw_view_of(&r->to, out);
    if (n_dims == 0) {
        if (!osw_is_contiguous(self))
            return OSW_UNSUPPORTED;
        numel = osw_numel(self);
        osw_view_as(&r->from, self, 1, &numel);
        osw_view_as(&r->to, out, 1, &numel);
    }
    for (int32_t i = 0; i < n && !rc; i++)
        rc = osw_roll_shift(call, r, dims[i], shifts[i]);
    return rc;
}

/* Each dimension that is rolled is cut in two, and so the tensor into boxes:
 * what the `box`-th is copied from, and where to; 0 when there is none.
 */
static inline int osw_roll_box(const struct osw_roll *r, int box,
                               struct osw_view *to, struct osw_view *from)
{
    *to = r->to;
    *from = r->from;
    to->t.shape = to->shape;
    to->t.strides = to->strides;
    from->t.shape = from->shape;
    from->t.strides = from->strides;
    for (int32_t d = 0; d < to->t.ndim; d++) {
        int64_t n = to->shape[d], s = r->shift[d];

        if (s == 0)
            continue;
        osw_view_narrow(to, d, box & 1 ? 0 : s, box & 1 ? s : n - s);
        osw_view_narrow(from, d, box & 1 ? n - s : 0, box & 1 ? s : n - s);
        box >>= 1;
    }
    return box == 0;
}

#endif /* OSW_LIBRARY_ROLL_H */

/* ops/library/roll/roll.h - the arguments of roll, and the boxes that it moves
 *
 * Along each dimension that is rolled the end goes to the front and the rest
 * after it: with k such dimensions 2^k boxes, of which some may be empty.
 */
#ifndef OSW_LIBRARY_ROLL_H
#define OSW_LIBRARY_ROLL_H

#include "../shared/views.h"

struct roll {
    const osw_tensor *self;
    osw_tensor *out;
    int flat;                  /* all dimensions as one: by[0] */
    int64_t by[OSW_RULE_DIMS]; /* of each dimension: 0 to its size - 1 */
};

/* (self, shifts, dims); 0, OSW_UNSUPPORTED or OSW_ERROR. */
static inline int roll_open(const osw_call *call, struct roll *r)
{
    int64_t shifts[OSW_RULE_DIMS], dims[OSW_RULE_DIMS];
    int32_t n = osw_view_list(call, 1, shifts, OSW_RULE_DIMS);
    int32_t m = osw_view_list(call, 2, dims, OSW_RULE_DIMS);

    r->self = osw_arg_tensor(call, 0);
    if (!r->self)
        return osw_error(call, "expected a tensor");
    if (r->self->ndim > OSW_RULE_DIMS || r->self->dtype.bits < 8)
        return OSW_UNSUPPORTED;
    r->flat = m < 1;
    if (n < 1 || (r->flat ? n != 1 : n != m))
        return osw_error(call, "expected a shift for each dimension");
    memset(r->by, 0, sizeof(r->by));
    for (int32_t i = 0; i < n; i++) {
        int32_t d = r->flat ? 0 : osw_view_dim(dims[i], r->self->ndim);
        int64_t size;

        if (d < 0)
            return osw_error(call, "no such dimension to roll");
        size = r->flat ? osw_numel(r->self) : r->self->shape[d];
        if (size > 0)
            r->by[d] = ((r->by[d] + shifts[i]) % size + size) % size;
    }
    r->out = osw_output(call, 0, r->self->dtype, r->self->ndim, r->self->shape,
                        NULL);
    return r->out ? 0 : OSW_ERROR;
}

/* Output and input as they are, or flat.  0, or OSW_UNSUPPORTED. */
static inline int roll_views(const struct roll *r, struct osw_view *to,
                             struct osw_view *from)
{
    int64_t n = osw_numel(r->self);

    if (r->flat && !osw_is_contiguous(r->self))
        return OSW_UNSUPPORTED;
    if (!r->flat)
        return osw_view_of(to, r->out) && osw_view_of(from, r->self)
                   ? 0
                   : OSW_UNSUPPORTED;
    osw_view_as(to, r->out, 1, &n);
    osw_view_as(from, r->self, 1, &n);
    return 0;
}

/* Box number i, of which bit d says whether it is of the part of dimension d
 * that goes to the front: narrows the views.  0 where there is no such box.
 */
static inline int roll_box(const struct roll *r, uint32_t i,
                           struct osw_view *to, struct osw_view *from)
{
    for (int32_t d = 0; d < to->t.ndim; d++) {
        int64_t size = to->shape[d], by = r->by[d], rest = size - by;

        if (i >> d & 1) {
            if (by == 0)
                return 0;
            osw_view_narrow(to, d, 0, by);
            osw_view_narrow(from, d, rest, by);
        } else {
            osw_view_narrow(to, d, by, rest);
            osw_view_narrow(from, d, 0, rest);
        }
    }
    return 1;
}

typedef int roll_copy(const osw_call *call, const osw_tensor *to,
                      const osw_tensor *from);

/* Every box by `copy`. */
static inline int roll_run(const osw_call *call, roll_copy *copy)
{
    struct osw_view to, from;
    struct roll r;
    int rc = roll_open(call, &r);

    for (uint32_t i = 0; !rc && i < 1u << (r.flat ? 1 : r.self->ndim); i++) {
        rc = roll_views(&r, &to, &from);
        if (!rc && roll_box(&r, i, &to, &from))
            rc = copy(call, &to.t, &from.t);
    }
    return rc;
}

#endif

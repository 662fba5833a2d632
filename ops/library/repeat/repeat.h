/* ops/library/repeat/repeat.h - (self, repeats): self beside itself, so many
 * times along each dimension
 */
#ifndef OSW_LIBRARY_REPEAT_H
#define OSW_LIBRARY_REPEAT_H

#include "../shared/views.h"

enum { OSW_REPEAT_DIMS = OSW_RULE_DIMS / 2 };

/* The output and self with two dimensions for each of the output: which copy,
 * and which element of it.  self has one copy of each, to be broadcast.
 */
struct osw_repeat {
    struct osw_view to, from;
};

static inline void osw_repeat_split(struct osw_repeat *r, int32_t d,
                                    int64_t times, int64_t size, int64_t stride)
{
    r->from.shape[2 * d] = 1;
    r->from.strides[2 * d] = 0;
    r->from.shape[2 * d + 1] = size;
    r->from.strides[2 * d + 1] = stride;
    r->to.shape[2 * d] = times;
    r->to.shape[2 * d + 1] = size;
}

/* Declares the output.  0, OSW_UNSUPPORTED or an error. */
static inline int osw_repeat_open(const osw_call *call, struct osw_repeat *r)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t times[OSW_REPEAT_DIMS], shape[OSW_REPEAT_DIMS] = {0};
    int32_t n = osw_view_list(call, 1, times, OSW_REPEAT_DIMS), lead;
    osw_tensor *out;

    if (!self || n < 0)
        return OSW_UNSUPPORTED;
    lead = n - self->ndim;
    if (lead < 0)
        return osw_error(call, "expected a number for each dimension");
    r->from.t = *self;
    for (int32_t d = 0; d < n; d++) {
        int64_t size = d < lead ? 1 : self->shape[d - lead];

        if (times[d] < 0)
            return osw_error(call, "expected numbers of 0 or more");
        osw_repeat_split(r, d, times[d], size,
                         d < lead ? 0 : self->strides[d - lead]);
        shape[d] = times[d] * size;
    }
    out = osw_output(call, 0, self->dtype, n, shape, NULL);
    if (!out)
        return OSW_ERROR;
    osw_view_as(&r->to, out, 2 * n, r->to.shape);
    r->from.t.ndim = 2 * n;
    r->from.t.shape = r->from.shape;
    r->from.t.strides = r->from.strides;
    return 0;
}

#endif /* OSW_LIBRARY_REPEAT_H */

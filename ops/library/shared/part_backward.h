/* shared/part_backward.h - backwards of select and slice: zeros of
 * input_sizes with grad_output in the part that was taken
 */
#ifndef OSW_LIBRARY_PART_BACKWARD_H
#define OSW_LIBRARY_PART_BACKWARD_H

#include "views.h"

struct osw_part {
    const osw_tensor *grad;
    osw_tensor *out;
    struct osw_view place; /* of grad in out */
};

/* (grad_output, input_sizes, dim, ...): *dim */
static inline int osw_part_declare(const osw_call *call, struct osw_part *p,
                                   int32_t *dim)
{
    int64_t shape[OSW_RULE_DIMS];
    int32_t ndim = osw_view_list(call, 1, shape, OSW_RULE_DIMS);

    p->grad = osw_arg_tensor(call, 0);
    if (!p->grad || ndim < 0)
        return osw_error(call, "expected a tensor and sizes");
    *dim = osw_view_dim(osw_arg_int(call, 2, 0), ndim);
    for (int32_t d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return osw_error(call, "expected sizes of 0 or more");
    if (*dim < 0)
        return osw_error(call, "no such dimension");
    p->out = osw_output(call, 0, p->grad->dtype, ndim, shape, NULL);
    if (!p->out)
        return OSW_ERROR;
    osw_view_of(&p->place, p->out);
    return 0;
}

static inline void osw_part_clear(const struct osw_part *p)
{
    int64_t n = osw_numel(p->out);

    if (n)
        memset(osw_data(p->out), 0, (size_t)(n * (p->out->dtype.bits / 8)));
}

static inline int osw_part_fits(const osw_call *call, const struct osw_part *p)
{
    int same = p->place.t.ndim == p->grad->ndim;

    for (int32_t d = 0; same && d < p->grad->ndim; d++)
        same = p->place.shape[d] == p->grad->shape[d];
    return same ? 0 : osw_error(call, "grad_output does not fit the part");
}

/* (grad_output, input_sizes, dim, index) */
static inline int osw_part_open_select(const osw_call *call, struct osw_part *p)
{
    int64_t index = osw_arg_int(call, 3, 0);
    int32_t dim = 0;
    int rc = osw_part_declare(call, p, &dim);

    if (rc)
        return rc;
    if (index < 0)
        index += p->out->shape[dim];
    if (index < 0 || index >= p->out->shape[dim])
        return osw_error(call, "index is out of range");
    osw_view_select(&p->place, dim, index);
    return osw_part_fits(call, p);
}

/* A bound of a slice: from the end where negative, kept within [0, n]. */
static inline int64_t osw_part_bound(int64_t i, int64_t n)
{
    i = i < 0 ? i + n : i;
    return i < 0 ? 0 : i > n ? n : i;
}

/* (grad_output, input_sizes, dim, start, end, step) */
static inline int osw_part_open_slice(const osw_call *call, struct osw_part *p)
{
    int64_t start, end, step = osw_arg_int(call, 5, 1), n;
    int32_t dim = 0;
    int rc = osw_part_declare(call, p, &dim);

    if (rc)
        return rc;
    if (step < 1)
        return osw_error(call, "expected a step of 1 or more");
    n = p->out->shape[dim];
    start = osw_part_bound(osw_arg_int(call, 3, 0), n);
    end = osw_part_bound(osw_arg_int(call, 4, INT64_MAX), n);
    n = end > start ? (end - start - 1) / step + 1 : 0;
    osw_view_narrow(&p->place, dim, start, n);
    p->place.strides[dim] *= step;
    return osw_part_fits(call, p);
}

#endif /* OSW_LIBRARY_PART_BACKWARD_H */

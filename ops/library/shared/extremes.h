/* shared/extremes.h - the largest or smallest element over some dimensions, and
 * which it is; the first of equal ones.  NaN comes before any number.
 */
#ifndef OSW_LIBRARY_EXTREMES_H
#define OSW_LIBRARY_EXTREMES_H

#include "reduce.h"

struct osw_extremes {
    const osw_tensor *x;
    struct osw_reduce_dims kept, over;
    int least;                   /* the smallest */
    osw_tensor *values, *places; /* contiguous; NULL: no output */
};

enum { OSW_EXTREMES_VALUES = 1, OSW_EXTREMES_PLACES = 2 };

/* --- arguments --- */

static inline int osw_extremes_declare(const osw_call *call,
                                       struct osw_extremes *e, int outputs,
                                       int32_t ndim, const int64_t *shape)
{
    int values = outputs & OSW_EXTREMES_VALUES;

    if (values)
        e->values = osw_output(call, 0, e->x->dtype, ndim, shape, NULL);
    if (outputs & OSW_EXTREMES_PLACES)
        e->places =
            osw_output(call, values ? 1 : 0, osw_rows_i64(), ndim, shape, NULL);
    return (!values || e->values) &&
                   (!(outputs & OSW_EXTREMES_PLACES) || e->places)
               ? 0
               : OSW_ERROR;
}

/* Of argument 0; the dimensions, all if there are none, and keepdim by the
 * numbers of their arguments, -1: not there.
 */
static inline int osw_extremes_open(const osw_call *call,
                                    struct osw_extremes *e, int dim_arg,
                                    int keepdim_arg, int least, int outputs)
{
    int keepdim = osw_arg_int(call, keepdim_arg, 0) != 0;
    char mask[OSW_REDUCE_DIMS];
    int64_t shape[OSW_REDUCE_DIMS] = {0};
    int32_t ndim = 0;

    memset(e, 0, sizeof(*e));
    e->x = osw_arg_tensor(call, 0);
    e->least = least;
    if (!e->x || e->x->ndim > OSW_REDUCE_DIMS)
        return osw_error(call, "expected a tensor");
    if (e->x->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    if (osw_reduce_mask(call, osw_arg_at(call, dim_arg), e->x->ndim, mask))
        return OSW_ERROR;
    e->kept.numel = e->over.numel = 1;
    for (int32_t d = 0; d < e->x->ndim; d++) {
        osw_reduce_push(mask[d] ? &e->over : &e->kept, e->x->shape[d],
                        e->x->strides[d]);
        if (!mask[d] || keepdim)
            shape[ndim++] = mask[d] ? 1 : e->x->shape[d];
    }
    if (e->over.numel == 0 && e->kept.numel > 0)
        return osw_error(call, "no largest of no elements");
    return osw_extremes_declare(call, e, outputs, ndim, shape);
}

/* Element `place` of those over which output k is. */
static inline void *osw_extremes_at(const struct osw_extremes *e, int64_t k,
                                    int64_t place)
{
    return osw_at(e->x, osw_reduce_offset(&e->kept, k) +
                            osw_reduce_offset(&e->over, place));
}

static inline void osw_extremes_put(const struct osw_extremes *e, int64_t k,
                                    int64_t place)
{
    if (e->values)
        memcpy(osw_at(e->values, k), osw_extremes_at(e, k, place),
               e->x->dtype.bits / 8);
    if (e->places)
        ((int64_t *)osw_data(e->places))[k] = place;
}

#endif /* OSW_LIBRARY_EXTREMES_H */

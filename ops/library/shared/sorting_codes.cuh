/* shared/sorting_codes.cuh - elements as unsigned codes: a smaller code comes
 * first, and equal elements have equal ones
 */
#ifndef OSW_LIBRARY_SORTING_CODES_CUH
#define OSW_LIBRARY_SORTING_CODES_CUH

#include "plain_picking.cuh"
#include "sorting.h"

/* U: unsigned, as wide as the element.  NaN has the largest code, and both
 * zeros have one.
 */
template <class U>
static __device__ U osw_sorting_code(const struct osw_sorting_order &o, U bits)
{
    U sign = (U)o.sign, magnitude = (U)(bits & (U)~sign);

    if (o.is_bool)
        bits = bits != 0;
    else if (o.infinity && magnitude > (U)o.infinity)
        bits = (U) ~(U)0;
    else if (o.infinity && (bits & sign) && magnitude)
        bits = (U)~bits;
    else if (o.infinity)
        bits = (U)(magnitude | sign);
    else
        bits = (U)(bits ^ sign);
    return o.descending ? (U)~bits : bits;
}

/* Calls f with an element of the unsigned type that is as wide as t. */
template <class F> static int osw_sorting_by_bits(osw_dtype t, F f)
{
    switch (t.bits) {
    case 8:
        return f(uint8_t());
    case 16:
        return f(uint16_t());
    case 32:
        return f(uint32_t());
    case 64:
        return f(uint64_t());
    default:
        return OSW_UNSUPPORTED;
    }
}

/* Rows of self and of the outputs. */
struct osw_sorting_view {
    osw_plain_axes axes; /* of rows: of both outputs, of self */
    int64_t n_rows;
    int64_t n, x_step;  /* of a row of self */
    int64_t kept, step; /* of a row of the outputs */
    const char *x;
    char *values;
    int64_t *places;
};

/* 0, or OSW_UNSUPPORTED. */
static inline int osw_sorting_view_of(struct osw_sorting_view *v,
                                      const struct osw_sorting &s)
{
    const osw_tensor *x = s.x.tensor, *values = s.values.tensor;

    if (x->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    *v = {};
    for (int32_t d = 0; d < x->ndim; d++)
        if (d != s.x.dim)
            osw_plain_axes_add(&v->axes, x->shape[d], values->strides[d],
                               x->strides[d], 0);
    if (v->axes.n == 0)
        v->axes.size[v->axes.n++] = 1;
    v->n_rows = s.x.n_rows;
    v->n = s.x.n;
    v->x_step = s.x.stride;
    v->kept = s.values.n;
    v->step = s.values.stride;
    v->x = (const char *)osw_data(x);
    v->values = (char *)osw_data(values);
    v->places = (int64_t *)osw_data(s.places.tensor);
    return 0;
}

/* Element `place` of a row becomes the rank-th of its outputs. */
template <class U>
static __device__ void osw_sorting_put(const struct osw_sorting_view &v,
                                       int64_t row, int64_t rank, int64_t place)
{
    int64_t at[2], to;

    osw_plain_at<2>(v.axes, row, at);
    to = at[0] + rank * v.step;
    ((U *)v.values)[to] = ((const U *)v.x)[at[1] + place * v.x_step];
    v.places[to] = place;
}

#endif /* OSW_LIBRARY_SORTING_CODES_CUH */

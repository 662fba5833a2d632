/* shared/resample.h - sizes of images that are resampled */
#ifndef OSW_LIBRARY_RESAMPLE_H
#define OSW_LIBRARY_RESAMPLE_H

#include <opsweep/op.h>

static inline const osw_arg *osw_resample_list(const osw_call *call, int i)
{
    const osw_arg *a = osw_arg_at(call, i);

    return a->tag == OSW_ARG_LIST && a->n == 2 ? a : NULL;
}

/* Sizes [y, x] of the output: those that argument `sizes_at` lists, or the
 * input's times the factors of argument `factors_at`; factor[2] is 0 where
 * there are none.  0, or OSW_ERROR.
 */
static inline int osw_resample_sizes(const osw_call *call, int sizes_at,
                                     int factors_at, const int64_t *input,
                                     int64_t *output, double *factor)
{
    const osw_arg *sizes = osw_resample_list(call, sizes_at);
    const osw_arg *factors = osw_resample_list(call, factors_at);

    if (!sizes == !factors)
        return osw_error(call, "expected output_size or scale_factors, a list "
                               "of two");
    for (int axis = 0; axis < 2; axis++) {
        factor[axis] = 0.0;
        if (sizes) {
            output[axis] = sizes->u.items[axis].u.i;
        } else {
            const osw_arg *f = &factors->u.items[axis];

            factor[axis] = f->tag == OSW_ARG_INT ? (double)f->u.i : f->u.f;
            output[axis] = (int64_t)((double)input[axis] * factor[axis]);
        }
        if (output[axis] < 1 || input[axis] < 1)
            return osw_error(call, "expected sizes above 0");
    }
    return 0;
}

/* The same where output_size is argument 1 and factors, or None, are two
 * arguments from `factors_at` on.
 */
static inline int osw_resample_sized(const osw_call *call, int factors_at,
                                     const int64_t *input, int64_t *output,
                                     double *factor)
{
    const osw_arg *sizes = osw_resample_list(call, 1);

    if (!sizes)
        return osw_error(call, "expected output_size, a list of two");
    for (int axis = 0; axis < 2; axis++) {
        factor[axis] = osw_arg_float(call, factors_at + axis, 0.0);
        output[axis] = sizes->u.items[axis].u.i;
        if (output[axis] < 1 || input[axis] < 1)
            return osw_error(call, "expected sizes above 0");
    }
    return 0;
}

#endif /* OSW_LIBRARY_RESAMPLE_H */

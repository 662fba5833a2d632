/* ops/library/unfold_backward/unfold_backward.h - the arguments, opened, and
 * one element in double, in C and in kernels
 *
 * Window w has elements w * step ... w * step + size - 1 of dimension dim; the
 * last dimension of the gradient counts them.
 */
#ifndef OSW_LIBRARY_UNFOLD_BACKWARD_H
#define OSW_LIBRARY_UNFOLD_BACKWARD_H

#include <math.h>
#include <opsweep/elements.h>

enum { UNFOLD_DIMS = 8 };

struct unfold {
    char *grad, *out; /* out: contiguous */
    osw_dtype dtype;
    int32_t ndim, dim;
    int64_t shape[UNFOLD_DIMS];   /* of the output */
    int64_t step_of[UNFOLD_DIMS]; /* of grad, in elements; at dim: of windows */
    int64_t last;                 /* of grad, between elements of a window */
    int64_t numel, windows, size, step;
};

/* Offset in grad of the window numbered 0 at element i of the output, and the
 * place of that along dim.
 */
OSW_HD static inline int64_t unfold_offset(const struct unfold *u, int64_t i,
                                           int64_t *place)
{
    int64_t at = 0;

    for (int32_t d = u->ndim - 1; d >= 0; d--) {
        if (d == u->dim)
            *place = i % u->shape[d];
        else
            at += i % u->shape[d] * u->step_of[d];
        i /= u->shape[d];
    }
    return at;
}

/* The first window that reaches `place`. */
OSW_HD static inline int64_t unfold_first(const struct unfold *u, int64_t place)
{
    return place < u->size ? 0 : (place - u->size) / u->step + 1;
}

/* Element i of the output: the sum over the windows that it is in. */
OSW_HD static inline double unfold_at(const struct unfold *u, int64_t i,
                                      double *squares)
{
    int64_t place = 0, at = unfold_offset(u, i, &place);
    double sum = 0.0;

    for (int64_t w = unfold_first(u, place);
         w < u->windows && w * u->step <= place; w++) {
        int64_t from =
            at + w * u->step_of[u->dim] + (place - w * u->step) * u->last;
        double g =
            osw_load(u->dtype, u->grad + from * (int64_t)(u->dtype.bits / 8));

        sum += g;
        *squares += g * g;
    }
    return sum;
}

/* (grad_in, input_sizes, dim, size, step); 0, OSW_UNSUPPORTED or OSW_ERROR. */
static inline int unfold_open(const osw_call *call, struct unfold *u)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_arg *sizes = osw_arg_at(call, 1);
    int64_t dim = osw_arg_int(call, 2, 0);
    osw_tensor *out;

    u->size = osw_arg_int(call, 3, 0);
    u->step = osw_arg_int(call, 4, 0);
    if (!grad || sizes->tag != OSW_ARG_LIST || sizes->n == 0 ||
        grad->ndim != (int32_t)sizes->n + 1 || u->step < 1)
        return osw_error(call, "expected a gradient of one dimension more than "
                               "input_sizes, and a step of 1 or more");
    if (sizes->n > UNFOLD_DIMS ||
        (grad->dtype.code != OSW_FLOAT && grad->dtype.code != OSW_BFLOAT))
        return OSW_UNSUPPORTED;
    u->ndim = (int32_t)sizes->n;
    u->dim = (int32_t)(dim < 0 ? dim + u->ndim : dim);
    if (u->dim < 0 || u->dim >= u->ndim || grad->shape[u->ndim] != u->size)
        return osw_error(call, "dim or size does not fit the gradient");
    u->numel = 1;
    for (int32_t d = 0; d < u->ndim; d++) {
        u->shape[d] = sizes->u.items[d].u.i;
        u->step_of[d] = grad->strides[d];
        u->numel *= u->shape[d];
        if (d != u->dim && u->shape[d] != grad->shape[d])
            return osw_error(call, "input_sizes does not fit the gradient");
    }
    u->last = grad->strides[u->ndim];
    u->windows = grad->shape[u->dim];
    if (u->shape[u->dim] < (u->windows - 1) * u->step + u->size)
        return osw_error(call, "the windows reach beyond input_sizes");
    out = osw_output(call, 0, grad->dtype, u->ndim, u->shape, NULL);
    u->dtype = grad->dtype;
    u->grad = (char *)osw_data(grad);
    u->out = out ? (char *)osw_data(out) : NULL;
    return out ? 0 : OSW_ERROR;
}

#endif

/* ops/library/grid_sampler_2d_backward/grid_backward.h - (grad_output, input,
 * grid, interpolation_mode, padding_mode, align_corners, output_mask): the
 * gradients of a look-up between 2 x 2 neighbours
 */
#ifndef OSW_LIBRARY_GRID_BACKWARD_H
#define OSW_LIBRARY_GRID_BACKWARD_H

#include "../grid_sampler_2d/grid.h"

struct grid_back {
    struct grid grid;        /* its out: grad_output */
    osw_tensor *grad;        /* of the input; NULL: not asked for */
    struct osw_image to;     /* the same */
    struct osw_image slopes; /* the gradient of the grid */
    int i_slopes;            /* its output */
};

/* By how much the place moves with g; 0 where it is held at an edge. */
OSW_HD static inline double grid_slope(const struct grid *job, double g,
                                       int64_t n)
{
    double last = (double)(n - 1), per_g, at, low, high;

    per_g = job->align ? last / 2.0 : (double)n / 2.0;
    at = job->align ? (g + 1.0) / 2.0 * last
                    : ((g + 1.0) * (double)n - 1.0) / 2.0;
    if (job->padding == GRID_ZEROS)
        return per_g;
    if (job->padding == GRID_REFLECTION) {
        low = job->align ? 0.0 : -0.5;
        high = job->align ? last : last + 0.5;
        if (high <= low)
            return 0.0;
        if (at < low)
            per_g = -per_g;
        if (fmod(floor(fabs(at - low) / (high - low)), 2.0) != 0.0)
            per_g = -per_g;
        at = grid_reflect(at, low, high);
    }
    return at > 0.0 && at < last ? per_g : 0.0;
}

/* The change of a neighbour's weight per step along x; along y. */
OSW_HD static inline double grid_weight_by_x(const struct grid_taps *t, int dx,
                                             int dy)
{
    double across = dy ? t->part_y : 1.0 - t->part_y;

    return dx ? across : -across;
}

OSW_HD static inline double grid_weight_by_y(const struct grid_taps *t, int dx,
                                             int dy)
{
    double across = dx ? t->part_x : 1.0 - t->part_x;

    return dy ? across : -across;
}

/* Declares the outputs: the gradient of the input if the mask asks for it,
 * that of the grid in any case, as PyTorch does.
 */
static inline int grid_back_open(const osw_call *call, struct grid_back *job)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    const osw_tensor *x = osw_arg_tensor(call, 1);
    const osw_tensor *places = osw_arg_tensor(call, 2);
    const osw_arg *mask = osw_arg_at(call, 6);
    osw_tensor *slopes;
    int rc = grid_read(call, 1, &job->grid), n = 0;

    if (rc)
        return rc;
    if (!grad || grad->ndim != 4 || grad->shape[0] != x->shape[0] ||
        grad->shape[1] != x->shape[1] || grad->shape[2] != places->shape[1] ||
        grad->shape[3] != places->shape[2] || mask->tag != OSW_ARG_LIST ||
        mask->n != 2)
        return osw_error(call, "expected a gradient [n, c, y, x] of the grid's "
                               "size, and a mask of two");
    if (!osw_image_is_float(grad))
        return OSW_UNSUPPORTED;
    job->grad = NULL;
    if (mask->u.items[0].u.i) {
        job->grad = osw_output(call, n++, x->dtype, 4, x->shape, NULL);
        if (!job->grad)
            return OSW_ERROR;
    }
    job->i_slopes = n;
    slopes = osw_output(call, n, places->dtype, 4, places->shape, NULL);
    if (!slopes)
        return OSW_ERROR;
    return osw_image_of(&job->grid.out, grad) ||
           osw_image_of(&job->slopes, slopes) ||
           (job->grad && osw_image_of(&job->to, job->grad));
}

#endif /* OSW_LIBRARY_GRID_BACKWARD_H */

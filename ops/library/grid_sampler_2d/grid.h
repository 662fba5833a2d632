/* ops/library/grid_sampler_2d/grid.h - (input, grid, interpolation_mode,
 * padding_mode, align_corners): an image, looked up where the grid says,
 * between 2 x 2 neighbours
 */
#ifndef OSW_LIBRARY_GRID_H
#define OSW_LIBRARY_GRID_H

#include "../shared/image.h"

enum { GRID_ZEROS, GRID_BORDER, GRID_REFLECTION }; /* padding_mode */

struct grid {
    struct osw_image in, out;
    struct osw_image places; /* [n, y, x, 2]: x and y, from -1 to 1 */
    int padding, align;
};

/* Between neighbours (x, y) and (x + 1, y + 1), that part of the way. */
struct grid_taps {
    int64_t x, y;
    double part_x, part_y;
};

/* Mirrored at both ends, as often as it takes. */
OSW_HD static inline double grid_reflect(double at, double low, double high)
{
    double span = high - low, rest, turns;

    if (span <= 0.0)
        return 0.0;
    at = fabs(at - low);
    turns = floor(at / span);
    rest = at - turns * span;
    return fmod(turns, 2.0) == 0.0 ? rest + low : span - rest + low;
}

/* The place in n elements that g, from -1 to 1, means. */
OSW_HD static inline double grid_place(const struct grid *job, double g,
                                       int64_t n)
{
    double last = (double)(n - 1);
    double at = job->align ? (g + 1.0) / 2.0 * last
                           : ((g + 1.0) * (double)n - 1.0) / 2.0;

    if (job->padding == GRID_ZEROS)
        return at;
    if (job->padding == GRID_REFLECTION)
        at = job->align ? grid_reflect(at, 0.0, last)
                        : grid_reflect(at, -0.5, last + 0.5);
    return at < 0.0 ? 0.0 : at > last ? last : at;
}

OSW_HD static inline struct grid_taps
grid_taps_of(const struct grid *job, int64_t n, int64_t y, int64_t x)
{
    double at_x =
        grid_place(job, osw_image_get(&job->places, n, y, x, 0), job->in.x);
    double at_y =
        grid_place(job, osw_image_get(&job->places, n, y, x, 1), job->in.y);
    struct grid_taps t;

    t.x = (int64_t)floor(at_x);
    t.y = (int64_t)floor(at_y);
    t.part_x = at_x - floor(at_x);
    t.part_y = at_y - floor(at_y);
    return t;
}

/* Is neighbour (dx, dy) inside of the image?  What is outside is 0. */
OSW_HD static inline int grid_inside(const struct grid *job,
                                     const struct grid_taps *t, int dx, int dy)
{
    int64_t x = t->x + dx, y = t->y + dy;

    return x >= 0 && x < job->in.x && y >= 0 && y < job->in.y;
}

OSW_HD static inline double grid_weight(const struct grid_taps *t, int dx,
                                        int dy)
{
    return (dx ? t->part_x : 1.0 - t->part_x) *
           (dy ? t->part_y : 1.0 - t->part_y);
}

/* Argument `first`, the image, and those after it up to align_corners.  0,
 * OSW_UNSUPPORTED (nearest and cubic) or an error.
 */
static inline int grid_read(const osw_call *call, int first, struct grid *job)
{
    const osw_tensor *x = osw_arg_tensor(call, first);
    const osw_tensor *places = osw_arg_tensor(call, first + 1);
    int64_t padding = osw_arg_int(call, first + 3, 0);

    if (!x || !places || x->ndim != 4 || places->ndim != 4 ||
        places->shape[0] != x->shape[0] || places->shape[3] != 2)
        return osw_error(call, "expected an input and a grid [n, y, x, 2] of 4 "
                               "dimensions");
    if (!osw_image_is_float(x) || !osw_image_is_float(places) ||
        osw_arg_int(call, first + 2, 0) != 0)
        return OSW_UNSUPPORTED;
    if (padding < GRID_ZEROS || padding > GRID_REFLECTION || x->shape[2] < 1 ||
        x->shape[3] < 1)
        return osw_error(call, "expected a padding_mode of 0, 1 or 2, and an "
                               "image that is not empty");
    job->padding = (int)padding;
    job->align = osw_arg_int(call, first + 4, 0) != 0;
    return osw_image_of(&job->in, x) || osw_image_of(&job->places, places);
}

/* Declares the output. */
static inline int grid_open(const osw_call *call, struct grid *job)
{
    int rc = grid_read(call, 0, job);
    int64_t shape[4];
    osw_tensor *out;

    if (rc)
        return rc;
    shape[0] = job->in.n;
    shape[1] = job->in.c;
    shape[2] = job->places.c;
    shape[3] = job->places.y;
    out = osw_output(call, 0, job->in.dtype, 4, shape, NULL);
    return out ? osw_image_of(&job->out, out) : OSW_ERROR;
}

#endif /* OSW_LIBRARY_GRID_H */

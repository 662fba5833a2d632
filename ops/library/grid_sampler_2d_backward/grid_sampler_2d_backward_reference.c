/* grid_sampler_2d_backward - plane by plane, in double */
#include "../shared/image_reference.h"
#include "grid_backward.h"

int grid_sampler_2d_backward_meta(const osw_call *call)
{
    struct grid_back job;

    return grid_back_open(call, &job);
}

/* Plane c of image n: what each place took is given back. */
static void give_back(const struct grid_back *job, int64_t n, int64_t c,
                      double *plane)
{
    const struct grid *grid = &job->grid;

    for (int64_t i = 0; i < grid->in.y * grid->in.x; i++)
        plane[i] = 0.0;
    for (int64_t y = 0; y < grid->out.y; y++)
        for (int64_t x = 0; x < grid->out.x; x++) {
            struct grid_taps t = grid_taps_of(grid, n, y, x);
            double g = osw_image_get(&grid->out, n, c, y, x);

            for (int k = 0; k < 4; k++)
                if (grid_inside(grid, &t, k & 1, k >> 1))
                    plane[(t.y + (k >> 1)) * grid->in.x + t.x + (k & 1)] +=
                        g * grid_weight(&t, k & 1, k >> 1);
        }
}

/* Element i of the grid's gradient: along x and y by turns. */
static double slope_at(const void *context, int64_t i, double *squares)
{
    const struct grid_back *job = (const struct grid_back *)context;
    const struct grid *grid = &job->grid;
    struct osw_spot s = osw_image_spot(&job->slopes, i); /* c, y: place */
    struct grid_taps t = grid_taps_of(grid, s.n, s.c, s.y);
    double g = osw_image_get(&grid->places, s.n, s.c, s.y, s.x), sum = 0.0;

    (void)squares;
    for (int64_t c = 0; c < grid->in.c; c++)
        for (int k = 0; k < 4; k++)
            if (grid_inside(grid, &t, k & 1, k >> 1))
                sum += osw_image_get(&grid->out, s.n, c, s.c, s.y) *
                       osw_image_get(&grid->in, s.n, c, t.y + (k >> 1),
                                     t.x + (k & 1)) *
                       (s.x ? grid_weight_by_y(&t, k & 1, k >> 1)
                            : grid_weight_by_x(&t, k & 1, k >> 1));
    return sum * grid_slope(grid, g, s.x ? grid->in.y : grid->in.x);
}

int grid_sampler_2d_backward_reference(const osw_call *call)
{
    struct grid_back job;
    int rc = grid_back_open(call, &job);
    int64_t size = rc ? 0 : job.grid.in.y * job.grid.in.x, planes;
    double *exact = NULL;

    if (rc)
        return rc;
    planes = job.grid.in.n * job.grid.in.c;
    if (job.grad) {
        exact = osw_output_exact(call, 0);
        if (!exact)
            return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
        for (int64_t p = 0; p < planes; p++)
            give_back(&job, p / job.grid.in.c, p % job.grid.in.c,
                      exact + p * size);
    }
    return osw_image_exact(call, job.i_slopes, osw_image_numel(&job.slopes),
                           slope_at, &job);
}

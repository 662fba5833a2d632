/* grid_sampler_2d - the weighted sum of 2 x 2 neighbours, in double */
#include "../shared/image_reference.h"
#include "grid.h"

int grid_sampler_2d_meta(const osw_call *call)
{
    struct grid job;

    return grid_open(call, &job);
}

static double at(const void *context, int64_t i, double *squares)
{
    const struct grid *job = (const struct grid *)context;
    struct osw_spot s = osw_image_spot(&job->out, i);
    struct grid_taps t = grid_taps_of(job, s.n, s.y, s.x);
    double sum = 0.0;

    (void)squares;
    for (int k = 0; k < 4; k++)
        if (grid_inside(job, &t, k & 1, k >> 1))
            sum += grid_weight(&t, k & 1, k >> 1) *
                   osw_image_get(&job->in, s.n, s.c, t.y + (k >> 1),
                                 t.x + (k & 1));
    return sum;
}

int grid_sampler_2d_reference(const osw_call *call)
{
    struct grid job;
    int rc = grid_open(call, &job);

    return rc ? rc
              : osw_image_exact(call, 0, osw_image_numel(&job.out), at, &job);
}

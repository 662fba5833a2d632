/* grid_sampler_2d - place by place of the grid, all channels of each */
#include "../shared/plain.h"
#include "grid.h"

/* Row y of image n. */
static void sample_row(const struct grid *job, int64_t n, int64_t y)
{
    const struct osw_image *in = &job->in, *out = &job->out;

    for (int64_t x = 0; x < out->x; x++) {
        struct grid_taps t = grid_taps_of(job, n, y, x);

        for (int64_t c = 0; c < out->c; c++) {
            int64_t to = osw_image_offset(out, n, c, y, x);
            float sum = 0.0f;

            for (int dy = 0; dy < 2; dy++)
                for (int dx = 0; dx < 2; dx++)
                    if (grid_inside(job, &t, dx, dy))
                        sum +=
                            (float)grid_weight(&t, dx, dy) *
                            (float)osw_image_get(in, n, c, t.y + dy, t.x + dx);
            osw_store(out->dtype, out->data + to * (out->dtype.bits / 8), sum);
        }
    }
}

int grid_sampler_2d_kernel_impl(const osw_call *call)
{
    struct grid job;
    int rc = grid_open(call, &job), threads;

    if (rc || job.in.dtype.bits == 64)
        return rc ? rc : OSW_UNSUPPORTED;
    threads = osw_plain_threads(call, osw_image_numel(&job.out));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < job.out.n * job.out.y; i++)
        sample_row(&job, i / job.out.y, i % job.out.y);
    return 0;
}

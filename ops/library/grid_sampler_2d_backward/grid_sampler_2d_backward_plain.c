/* grid_sampler_2d_backward - plane by plane for the input's gradient, place by
 * place for that of the grid
 */
#include "../shared/plain.h"
#include "grid_backward.h"

/* Plane c of image n, added up in float. */
static void give_back(const struct grid_back *job, int64_t n, int64_t c,
                      float *plane)
{
    const struct grid *grid = &job->grid;
    const struct osw_image *to = &job->to;
    int64_t size = to->y * to->x;

    memset(plane, 0, (size_t)size * sizeof(*plane));
    for (int64_t y = 0; y < grid->out.y; y++)
        for (int64_t x = 0; x < grid->out.x; x++) {
            struct grid_taps t = grid_taps_of(grid, n, y, x);
            float g = (float)osw_image_get(&grid->out, n, c, y, x);

            for (int dy = 0; dy < 2; dy++)
                for (int dx = 0; dx < 2; dx++)
                    if (grid_inside(grid, &t, dx, dy))
                        plane[(t.y + dy) * to->x + t.x + dx] +=
                            g * (float)grid_weight(&t, dx, dy);
        }
    for (int64_t i = 0; i < size; i++)
        osw_store(
            to->dtype,
            osw_image_at(to, osw_image_offset(to, n, c, i / to->x, i % to->x)),
            plane[i]);
}

static void slope_at(const struct grid_back *job, int64_t n, int64_t y,
                     int64_t x)
{
    const struct grid *grid = &job->grid;
    const struct osw_image *to = &job->slopes;
    struct grid_taps t = grid_taps_of(grid, n, y, x);
    float sum[2] = {0.0f, 0.0f};

    for (int64_t c = 0; c < grid->in.c; c++) {
        float g = (float)osw_image_get(&grid->out, n, c, y, x);

        for (int dy = 0; dy < 2; dy++)
            for (int dx = 0; dx < 2; dx++)
                if (grid_inside(grid, &t, dx, dy)) {
                    float v = g * (float)osw_image_get(&grid->in, n, c,
                                                       t.y + dy, t.x + dx);

                    sum[0] += v * (float)grid_weight_by_x(&t, dx, dy);
                    sum[1] += v * (float)grid_weight_by_y(&t, dx, dy);
                }
    }
    for (int k = 0; k < 2; k++) {
        double g = osw_image_get(&grid->places, n, y, x, k);

        osw_store(to->dtype, osw_image_at(to, osw_image_offset(to, n, y, x, k)),
                  sum[k] * grid_slope(grid, g, k ? grid->in.y : grid->in.x));
    }
}

int grid_sampler_2d_backward_kernel_impl(const osw_call *call)
{
    struct grid_back job;
    int rc = grid_back_open(call, &job), threads;
    int64_t size, planes;
    float *room;

    if (rc || job.grid.in.dtype.bits == 64)
        return rc ? rc : OSW_UNSUPPORTED;
    size = job.grid.in.y * job.grid.in.x;
    planes = job.grad ? job.grid.in.n * job.grid.in.c : 0;
    threads = osw_plain_threads(call, osw_image_numel(&job.grid.out));
    room = (float *)osw_workspace(call, (size_t)(size * threads) * 4);
    if (!room)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int thread = 0; thread < threads; thread++)
        for (int64_t p = planes * thread / threads;
             p < planes * (thread + 1) / threads; p++)
            give_back(&job, p / job.grid.in.c, p % job.grid.in.c,
                      room + thread * size);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < job.slopes.n * job.slopes.c; i++)
        for (int64_t x = 0; x < job.slopes.y; x++)
            slope_at(&job, i / job.slopes.c, i % job.slopes.c, x);
    return 0;
}

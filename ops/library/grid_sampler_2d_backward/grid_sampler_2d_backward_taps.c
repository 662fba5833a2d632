/* grid_sampler_2d_backward - the neighbours of every place worked out once for
 * all channels, then plane by plane
 *
 * A plane has one element more, which stands for all that is outside: it is 0
 * where values are read, and nothing reads what is added to it.
 */
#include "../shared/convert.h"
#include "grid_backward.h"

struct taps {
    int32_t *at[4]; /* [places] elements of a plane */
    float *x, *y;   /* parts of the way to the next neighbour */
    float *gx, *gy; /* how the place moves with the grid */
};

/* What a thread works in. */
struct bench {
    float *in, *grad;         /* planes */
    float *out;               /* [places] of grad_output */
    float *slope_x, *slope_y; /* [places], sums over its channels */
};

static void find_taps(const struct grid *grid, struct taps *taps, int64_t n,
                      int64_t y)
{
    int64_t outside = grid->in.y * grid->in.x;

    for (int64_t x = 0; x < grid->out.x; x++) {
        int64_t i = y * grid->out.x + x;
        struct grid_taps t = grid_taps_of(grid, n, y, x);

        for (int k = 0; k < 4; k++)
            taps->at[k][i] =
                (int32_t)(grid_inside(grid, &t, k & 1, k >> 1)
                              ? (t.y + (k >> 1)) * grid->in.x + t.x + (k & 1)
                              : outside);
        taps->x[i] = (float)t.part_x;
        taps->y[i] = (float)t.part_y;
        taps->gx[i] = (float)grid_slope(
            grid, osw_image_get(&grid->places, n, y, x, 0), grid->in.x);
        taps->gy[i] = (float)grid_slope(
            grid, osw_image_get(&grid->places, n, y, x, 1), grid->in.y);
    }
}

static void read_plane(const struct osw_image *m, int64_t n, int64_t c,
                       float *to)
{
    for (int64_t y = 0; y < m->y; y++)
        osw_convert_read(m->dtype,
                         osw_image_at(m, osw_image_offset(m, n, c, y, 0)),
                         m->step[3], m->x, to + y * m->x);
}

static void write_plane(const struct osw_image *m, int64_t n, int64_t c,
                        const float *from)
{
    for (int64_t y = 0; y < m->y; y++)
        osw_convert_write(m->dtype, from + y * m->x, m->x, m->step[3],
                          osw_image_at(m, osw_image_offset(m, n, c, y, 0)));
}

static void add_slopes(const struct taps *t, const struct bench *b, int64_t n)
{
    const float *in = b->in;

#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        float v0 = in[t->at[0][i]], v1 = in[t->at[1][i]];
        float v2 = in[t->at[2][i]], v3 = in[t->at[3][i]];

        b->slope_x[i] +=
            b->out[i] * ((v1 - v0) * (1.0f - t->y[i]) + (v3 - v2) * t->y[i]);
        b->slope_y[i] +=
            b->out[i] * ((v2 - v0) * (1.0f - t->x[i]) + (v3 - v1) * t->x[i]);
    }
}

static void give_back(const struct taps *t, const struct bench *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float low = b->out[i] * (1.0f - t->y[i]), high = b->out[i] * t->y[i];

        b->grad[t->at[0][i]] += low * (1.0f - t->x[i]);
        b->grad[t->at[1][i]] += low * t->x[i];
        b->grad[t->at[2][i]] += high * (1.0f - t->x[i]);
        b->grad[t->at[3][i]] += high * t->x[i];
    }
}

/* Channels [first, last) of image n. */
static void do_channels(const struct grid_back *job, const struct taps *t,
                        const struct bench *b, int64_t n, int64_t first,
                        int64_t last)
{
    const struct grid *grid = &job->grid;
    int64_t size = grid->in.y * grid->in.x;
    int64_t places = grid->out.y * grid->out.x;

    memset(b->slope_x, 0, (size_t)places * 4);
    memset(b->slope_y, 0, (size_t)places * 4);
    b->in[size] = 0.0f;
    for (int64_t c = first; c < last; c++) {
        read_plane(&grid->out, n, c, b->out);
        read_plane(&grid->in, n, c, b->in);
        add_slopes(t, b, places);
        if (!job->grad)
            continue;
        memset(b->grad, 0, (size_t)(size + 1) * 4);
        give_back(t, b, places);
        write_plane(&job->to, n, c, b->grad);
    }
}

/* Row y of the grid's gradient, from the sums of all threads. */
static void write_slopes(const struct grid_back *job, const struct taps *t,
                         const struct bench *b, int threads, int64_t n,
                         int64_t y)
{
    const struct osw_image *to = &job->slopes;

    for (int64_t x = 0; x < to->y; x++) {
        int64_t i = y * to->y + x;
        float sum[2] = {0.0f, 0.0f};

        for (int k = 0; k < threads; k++) {
            sum[0] += b[k].slope_x[i];
            sum[1] += b[k].slope_y[i];
        }
        sum[0] *= t->gx[i];
        sum[1] *= t->gy[i];
        osw_convert_write(to->dtype, sum, 2, to->step[3],
                          osw_image_at(to, osw_image_offset(to, n, y, x, 0)));
    }
}

enum { MOST_THREADS = 256 };

static void lay_out(float *room, int64_t size, int64_t places, int threads,
                    struct taps *t, struct bench *b)
{
    float **parts[] = {&t->x, &t->y, &t->gx, &t->gy};

    for (int k = 0; k < 4; k++) {
        t->at[k] = (int32_t *)room + k * places;
        *parts[k] = room + (4 + k) * places;
    }
    room += 8 * places;
    for (int k = 0; k < threads; k++) {
        b[k].in = room;
        b[k].grad = room + size + 1;
        b[k].out = room + 2 * (size + 1);
        b[k].slope_x = b[k].out + places;
        b[k].slope_y = b[k].slope_x + places;
        room = b[k].slope_y + places;
    }
}

int grid_sampler_2d_backward_kernel_impl(const osw_call *call)
{
    struct bench bench[MOST_THREADS];
    struct grid_back job;
    struct taps taps;
    int rc = grid_back_open(call, &job);
    int threads = (int)call->n_threads;
    int64_t size, places, channels;
    float *room;

    if (rc)
        return rc;
    size = job.grid.in.y * job.grid.in.x;
    places = job.grid.out.y * job.grid.out.x;
    channels = job.grid.in.c;
    if (!osw_convert_knows(job.grid.in.dtype) ||
        !osw_convert_knows(job.grid.out.dtype) ||
        !osw_convert_knows(job.slopes.dtype) || size >= INT32_MAX)
        return OSW_UNSUPPORTED;
    if (places * channels < 32768)
        threads = 1;
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    room = (float *)osw_workspace(
        call,
        4 * (size_t)(8 * places + threads * (2 * (size + 1) + 3 * places)) + 4);
    if (!room)
        return OSW_ERROR;
    lay_out(room, size, places, threads, &taps, bench);
    for (int64_t n = 0; n < job.grid.in.n; n++) {
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
#pragma omp for
            for (int64_t y = 0; y < job.grid.out.y; y++)
                find_taps(&job.grid, &taps, n, y);
#pragma omp for
            for (int k = 0; k < threads; k++)
                do_channels(&job, &taps, &bench[k], n, channels * k / threads,
                            channels * (k + 1) / threads);
#pragma omp for
            for (int64_t y = 0; y < job.grid.out.y; y++)
                write_slopes(&job, &taps, bench, threads, n, y);
        }
    }
    return 0;
}

/* ops/library/avg_pool2d/avg_pool2d_rows.c - the rows of a window are added
 * first, whole rows at a time; then the columns
 *
 * Channels that lie side by side are a vector in place of a number.
 */
#include "../shared/planes.h"
#include "../shared/pool.h"

enum { WIDTH = 64 }; /* channels at a time */

/* --- a plane --- */

/* sums [x] += row [x] */
static void add(float *sums, const float *row, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] += row[i];
}

static void sum_rows(const struct osw_pool *p, struct osw_window w,
                     const float *plane, float *sums)
{
    memset(sums, 0, (size_t)p->in.x * sizeof(float));
    for (int64_t y = w.from; y < w.to; y++)
        add(sums, plane + y * p->in.x, p->in.x);
}

/* One row of the output from the sums of its columns. */
static void sum_columns(const struct osw_pool *p, struct osw_window wy,
                        const float *sums, float *to)
{
    for (int64_t ox = 0; ox < p->out.x; ox++) {
        struct osw_window wx = osw_pool_window(p, 1, ox);
        float sum = 0.0f;

        for (int64_t x = wx.from; x < wx.to; x++)
            sum += sums[x];
        if (wy.from < wy.to && wx.from < wx.to)
            sum /= (float)osw_pool_divisor(p, wy, wx);
        to[ox] = sum;
    }
}

static void run_plane(const struct osw_pool *p, int64_t i, float *scratch)
{
    float *plane = scratch, *sums = plane + p->in.y * p->in.x;
    float *to = sums + p->in.x;
    int64_t n = i / p->in.c, c = i % p->in.c;
    const float *from = (const float *)osw_planes_see(&p->in, n, c, plane);

    for (int64_t oy = 0; oy < p->out.y; oy++) {
        struct osw_window wy = osw_pool_window(p, 0, oy);

        sum_rows(p, wy, from, sums);
        sum_columns(p, wy, sums, to);
        osw_convert_write(
            p->out.dtype, to, p->out.x, p->out.step[3],
            osw_image_at(&p->out, osw_image_offset(&p->out, n, c, oy, 0)));
    }
}

/* --- channels side by side --- */

/* One place of the output, `width` channels from c on. */
static void run_place(const struct osw_pool *p, struct osw_spot s,
                      int64_t width)
{
    struct osw_window wy = osw_pool_window(p, 0, s.y);
    struct osw_window wx = osw_pool_window(p, 1, s.x);
    float sums[WIDTH] = {0.0f}, row[WIDTH], divisor;

    for (int64_t y = wy.from; y < wy.to; y++)
        for (int64_t x = wx.from; x < wx.to; x++) {
            int64_t at = osw_image_offset(&p->in, s.n, s.c, y, x);

            osw_convert_read(p->in.dtype, osw_image_at(&p->in, at), 1, width,
                             row);
            add(sums, row, width);
        }
    divisor = (float)osw_pool_divisor(p, wy, wx);
    if (wy.from < wy.to && wx.from < wx.to)
        for (int64_t i = 0; i < width; i++)
            sums[i] /= divisor;
    osw_convert_write(
        p->out.dtype, sums, width, 1,
        osw_image_at(&p->out, osw_image_offset(&p->out, s.n, s.c, s.y, s.x)));
}

static void run_row(const struct osw_pool *p, int64_t row)
{
    struct osw_spot s = {row / p->out.y, 0, row % p->out.y, 0};

    for (s.x = 0; s.x < p->out.x; s.x++)
        for (s.c = 0; s.c < p->out.c; s.c += WIDTH)
            run_place(p, s, p->out.c - s.c < WIDTH ? p->out.c - s.c : WIDTH);
}

int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {.like_input = 1};
    int rc = osw_pool_open_avg(call, &p), threads;
    int64_t planes, rows, room;
    float *scratch;

    if (rc)
        return rc;
    if (!osw_convert_knows(p.in.dtype))
        return OSW_UNSUPPORTED;
    planes = p.in.n * p.in.c;
    rows = p.out.n * p.out.y;
    room = (p.in.y + 1) * p.in.x + p.out.x;
    threads = osw_planes_threads(call, planes * p.in.y * p.in.x);
    if (p.in.step[1] == 1 && p.out.step[1] == 1 && p.in.c > 1) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (int64_t row = 0; row < rows; row++)
            run_row(&p, row);
        return 0;
    }
    scratch = (float *)osw_workspace(call, (size_t)(room * threads) * 4 + 8);
    if (!scratch)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t i = planes * t / threads; i < planes * (t + 1) / threads;
             i++)
            run_plane(&p, i, scratch + t * room);
    return 0;
}

/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_rows.c - a whole
 * row of windows at a time: an element of each, compared by a select
 *
 * Windows that reach over the edge are done one by one.  Channels that lie side
 * by side are read in place of the windows of a row.
 */
#include "../shared/max_pool.h"
#include "../shared/planes.h"

enum { WIDTH = 64 }; /* windows, or channels, at a time */

/* Of up to WIDTH windows: the largest so far, and where it was. */
struct found {
    float value[WIDTH];
    int32_t index[WIDTH];
};

static void begin(struct found *f, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        f->value[i] = -INFINITY;
        f->index[i] = -1;
    }
}

/* Element i of the row belongs to window i, and has index first + i * step. */
static void see(struct found *f, const float *row, int64_t stride,
                int32_t first, int32_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float v = row[i * stride];
        int takes = (v > f->value[i]) | (v != v);

        f->value[i] = takes ? v : f->value[i];
        f->index[i] = takes ? first + (int32_t)i * step : f->index[i];
    }
}

static void finish(struct found *f, int64_t i, int32_t first)
{
    if (f->index[i] < 0) /* nothing but -inf: the first */
        f->index[i] = first;
}

/* --- a plane --- */

/* Is window o wholly inside, along x? */
static int is_inside(const struct osw_pool *p, int64_t o)
{
    int64_t from = o * p->stride[1] - p->pad[1];

    return from >= 0 && from + (p->kernel[1] - 1) * p->dilation[1] < p->in.x;
}

/* Windows [ox, ox + n) of row oy, all wholly inside along x, or one. */
static void run_windows(const struct osw_pool *p, const float *plane,
                        int64_t oy, int64_t ox, int64_t n, struct found *f)
{
    int64_t x0 = osw_pool_first(p, 1, ox), y0 = osw_pool_first(p, 0, oy);
    int64_t x1 = osw_pool_end(p, 1, ox), s = p->stride[1];

    begin(f, n);
    for (int64_t y = y0; y < osw_pool_end(p, 0, oy); y += p->dilation[0])
        for (int64_t x = x0; x < x1; x += p->dilation[1]) {
            const float *row = plane + y * p->in.x + x;
            int32_t first = (int32_t)(y * p->in.x + x);

            if (s == 1)
                see(f, row, 1, first, 1, n);
            else if (s == 2)
                see(f, row, 2, first, 2, n);
            else
                see(f, row, s, first, (int32_t)s, n);
        }
    for (int64_t i = 0; i < n; i++)
        finish(f, i, (int32_t)(y0 * p->in.x + x0 + i * s));
}

struct job {
    struct osw_pool p;
    struct osw_image indices; /* contiguous */
};

static void run_plane(const void *context, int64_t plane, const void *in,
                      void *out)
{
    const struct job *j = (const struct job *)context;
    const struct osw_pool *p = &j->p;
    int64_t *indices =
        (int64_t *)(void *)j->indices.data + plane * p->out.y * p->out.x;
    float *to = (float *)out;
    struct found f;

    for (int64_t oy = 0; oy < p->out.y; oy++)
        for (int64_t ox = 0, n; ox < p->out.x; ox += n) {
            int64_t at = oy * p->out.x + ox;

            n = 1;
            while (is_inside(p, ox) && n < WIDTH && ox + n < p->out.x &&
                   is_inside(p, ox + n))
                n++;
            run_windows(p, (const float *)in, oy, ox, n, &f);
            for (int64_t i = 0; i < n; i++) {
                to[at + i] = f.value[i];
                indices[at + i] = f.index[i];
            }
        }
}

/* --- channels side by side --- */

static void run_place(const struct job *j, struct osw_spot s, int64_t width)
{
    const struct osw_pool *p = &j->p;
    int64_t y0 = osw_pool_first(p, 0, s.y), x0 = osw_pool_first(p, 1, s.x);
    float row[WIDTH];
    struct found f;

    begin(&f, width);
    for (int64_t y = y0; y < osw_pool_end(p, 0, s.y); y += p->dilation[0])
        for (int64_t x = x0; x < osw_pool_end(p, 1, s.x); x += p->dilation[1]) {
            int64_t at = osw_image_offset(&p->in, s.n, s.c, y, x);

            osw_convert_read(p->in.dtype, osw_image_at(&p->in, at), 1, width,
                             row);
            see(&f, row, 1, (int32_t)(y * p->in.x + x), 0, width);
        }
    osw_convert_write(
        p->out.dtype, f.value, width, 1,
        osw_image_at(&p->out, osw_image_offset(&p->out, s.n, s.c, s.y, s.x)));
    for (int64_t i = 0; i < width; i++) {
        int64_t at = osw_image_offset(&j->indices, s.n, s.c + i, s.y, s.x);

        finish(&f, i, (int32_t)(y0 * p->in.x + x0));
        ((int64_t *)(void *)j->indices.data)[at] = f.index[i];
    }
}

static void run_row(const struct job *j, int64_t row)
{
    const struct osw_image *out = &j->p.out;
    struct osw_spot s = {row / out->y, 0, row % out->y, 0};

    for (s.x = 0; s.x < out->x; s.x++)
        for (s.c = 0; s.c < out->c; s.c += WIDTH)
            run_place(j, s, out->c - s.c < WIDTH ? out->c - s.c : WIDTH);
}

int max_pool2d_with_indices_kernel_impl(const osw_call *call)
{
    struct job j = {.p = {.like_input = 1}};
    const struct osw_image *in = &j.p.in, *out = &j.p.out;
    int rc = osw_pool_open_max(call, &j.p, &j.indices), threads;

    if (rc)
        return rc;
    if (!osw_convert_knows(in->dtype) || in->y * in->x > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (in->c == 1 || in->step[1] != 1 || out->step[1] != 1)
        return osw_planes_each(call, in, out, run_plane, &j);
    threads = osw_planes_threads(call, osw_image_numel(in));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t row = 0; row < out->n * out->y; row++)
        run_row(&j, row);
    return 0;
}

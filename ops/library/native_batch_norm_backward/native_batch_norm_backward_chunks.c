/* ops/library/native_batch_norm_backward/native_batch_norm_backward_chunks.c -
 * chunks that fit the first cache, of one channel or of up to 64 that lie side
 * by side; sums of a chunk in float, of chunks in double
 */
#include "../shared/batch_norm.h"
#include "../shared/planes.h"

enum { WIDTH = 64, ROWS = 32, CHUNK = WIDTH * ROWS };

/* dx = grad * scale + (x - high - low) * slope + shift; the mean in two parts,
 * since it may be large.
 */
struct line {
    float high, low, scale, slope, shift;
};

/* Sums over a channel: of grad, and of grad * (x - mean). */
struct sums {
    double g, gx;
};

static void set_mean(const struct osw_batch_norm *b, int64_t c, struct line *l)
{
    double mean = osw_channels_get(&b->mean, c, 0);

    l->high = (float)mean;
    l->low = (float)(mean - l->high);
}

/* Stores the gradients of weight and bias. */
static void set_line(const struct osw_batch_norm *b, int64_t c,
                     const struct sums *s, struct line *l)
{
    double invstd = osw_batch_norm_scale(b, c), n = (double)b->n;
    double scale = invstd * osw_channels_get(&b->weight, c, 1);

    if (b->i_dweight >= 0)
        osw_channels_set(&b->dweight, c, s->gx * invstd);
    if (b->i_dbias >= 0)
        osw_channels_set(&b->dbias, c, s->g);
    l->scale = (float)scale;
    l->slope = b->training ? (float)(-scale * invstd * invstd * s->gx / n) : 0;
    l->shift = b->training ? (float)(-scale * s->g / n) : 0;
}

/* --- a channel, plane by plane --- */

static void read_part(const struct osw_image *m, int64_t plane, int64_t c,
                      int64_t i, int64_t n, float *to)
{
    osw_convert_read(m->dtype,
                     osw_image_at(m, osw_image_offset(m, plane, c, 0, i)),
                     m->step[3], n, to);
}

static void sum_part(const struct line *l, const float *x, const float *g,
                     int64_t n, struct sums *s)
{
    float sum = 0.0f, sum_x = 0.0f;

#pragma omp simd reduction(+ : sum, sum_x)
    for (int64_t i = 0; i < n; i++) {
        sum += g[i];
        sum_x += g[i] * (x[i] - l->high - l->low);
    }
    s->g += sum;
    s->gx += sum_x;
}

static void write_part(const struct osw_batch_norm *b, int64_t plane, int64_t c,
                       int64_t i, int64_t n, const struct line *l, float *x,
                       const float *g)
{
    for (int64_t k = 0; k < n; k++)
        x[k] =
            g[k] * l->scale + (x[k] - l->high - l->low) * l->slope + l->shift;
    osw_convert_write(
        b->out.dtype, x, n, b->out.step[3],
        osw_image_at(&b->out, osw_image_offset(&b->out, plane, c, 0, i)));
}

static void run_channel(const struct osw_batch_norm *b, int64_t c)
{
    int64_t plane = b->x.y * b->x.x;
    struct sums s = {0.0, 0.0};
    float x[CHUNK], g[CHUNK];
    struct line l;

    set_mean(b, c, &l);
    for (int pass = 0; pass < (b->i_out >= 0 ? 2 : 1); pass++) {
        for (int64_t k = 0; k < b->x.n; k++)
            for (int64_t i = 0; i < plane; i += CHUNK) {
                int64_t n = plane - i < CHUNK ? plane - i : CHUNK;

                read_part(&b->x, k, c, i, n, x);
                read_part(&b->grad, k, c, i, n, g);
                if (pass == 0)
                    sum_part(&l, x, g, n, &s);
                else
                    write_part(b, k, c, i, n, &l, x, g);
            }
        if (pass == 0)
            set_line(b, c, &s, &l);
    }
}

/* --- channels side by side: [n, c] --- */

static void read_row(const struct osw_image *m, int64_t row, int64_t c,
                     int64_t width, float *to)
{
    osw_convert_read(m->dtype, osw_image_at(m, row * m->c + c), 1, width, to);
}

/* Sums of up to ROWS rows from `row` on, in float, then added to s. */
static void sum_rows(const struct osw_batch_norm *b, int64_t row, int64_t c,
                     int64_t width, const struct line *l, struct sums *s)
{
    int64_t end = row + ROWS < b->n ? row + ROWS : b->n;
    float sum[WIDTH] = {0.0f}, sum_x[WIDTH] = {0.0f}, x[WIDTH], g[WIDTH];

    for (; row < end; row++) {
        read_row(&b->x, row, c, width, x);
        read_row(&b->grad, row, c, width, g);
        for (int64_t i = 0; i < width; i++) {
            sum[i] += g[i];
            sum_x[i] += g[i] * (x[i] - l[i].high - l[i].low);
        }
    }
    for (int64_t i = 0; i < width; i++) {
        s[i].g += sum[i];
        s[i].gx += sum_x[i];
    }
}

static void run_columns(const struct osw_batch_norm *b, int64_t c,
                        int64_t width)
{
    struct sums s[WIDTH] = {{0.0, 0.0}};
    float x[WIDTH], g[WIDTH];
    struct line l[WIDTH];

    for (int64_t i = 0; i < width; i++)
        set_mean(b, c + i, &l[i]);
    for (int64_t row = 0; row < b->n; row += ROWS)
        sum_rows(b, row, c, width, l, s);
    for (int64_t i = 0; i < width; i++)
        set_line(b, c + i, &s[i], &l[i]);
    for (int64_t row = 0; b->i_out >= 0 && row < b->n; row++) {
        read_row(&b->x, row, c, width, x);
        read_row(&b->grad, row, c, width, g);
        for (int64_t i = 0; i < width; i++)
            x[i] = g[i] * l[i].scale +
                   (x[i] - l[i].high - l[i].low) * l[i].slope + l[i].shift;
        osw_convert_write(b->out.dtype, x, width, 1,
                          osw_image_at(&b->out, row * b->x.c + c));
    }
}

int native_batch_norm_backward_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {.like_input = 1};
    int rc = osw_batch_norm_open_backward(call, &b), threads;

    if (rc)
        return rc;
    if (!osw_convert_knows(b.x.dtype) || !osw_convert_knows(b.grad.dtype))
        return OSW_UNSUPPORTED;
    threads = osw_planes_threads(call, b.n * b.x.c);
    if (osw_batch_norm_channels_last(&b.x) &&
        osw_batch_norm_channels_last(&b.grad)) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (int64_t c = 0; c < b.x.c; c += WIDTH)
            run_columns(&b, c, b.x.c - c < WIDTH ? b.x.c - c : WIDTH);
        return 0;
    }
    if (!osw_planes_joined(&b.x) || !osw_planes_joined(&b.grad))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t c = 0; c < b.x.c; c++)
        run_channel(&b, c);
    return 0;
}

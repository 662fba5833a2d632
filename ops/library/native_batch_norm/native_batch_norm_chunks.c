/* ops/library/native_batch_norm/native_batch_norm_chunks.c - chunks that fit
 * the first cache, of one channel or of up to 64 that lie side by side
 *
 * A chunk gives the mean and the squares around it in float; chunks are joined
 * in double.  So the input is read twice, not three times, and an offset or an
 * outlier costs no precision.
 */
#include "../shared/batch_norm.h"
#include "../shared/planes.h"

enum { WIDTH = 64, ROWS = 32, CHUNK = WIDTH * ROWS };

/* Of one channel: elements seen, their mean and squares around it. */
struct moments {
    double n, mean, squares;
};

/* Add n elements of which the sum around `center` and the squares are known. */
static void join(struct moments *m, double n, double center, double sum,
                 double squares)
{
    double apart = center + sum / n - m->mean, total = m->n + n;

    m->squares += squares - sum * sum / n + apart * apart * m->n * n / total;
    m->mean += apart * n / total;
    m->n = total;
}

static void join_chunk(struct moments *m, const float *x, int64_t n)
{
    float sum = 0.0f, squares = 0.0f, center;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    center = sum / (float)n;
    sum = 0.0f;
#pragma omp simd reduction(+ : sum, squares)
    for (int64_t i = 0; i < n; i++) {
        float d = x[i] - center;

        sum += d;
        squares += d * d;
    }
    join(m, (double)n, center, sum, squares);
}

/* x [n_rows, width]: a channel to a column */
static void join_columns(struct moments *m, const float *x, int64_t n_rows,
                         int64_t width)
{
    float center[WIDTH] = {0.0f}, sum[WIDTH] = {0.0f}, squares[WIDTH] = {0.0f};

    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t i = 0; i < width; i++)
            center[i] += x[r * width + i];
    for (int64_t i = 0; i < width; i++)
        center[i] /= (float)n_rows;
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t i = 0; i < width; i++) {
            float d = x[r * width + i] - center[i];

            sum[i] += d;
            squares[i] += d * d;
        }
    for (int64_t i = 0; i < width; i++)
        join(&m[i], (double)n_rows, center[i], sum[i], squares[i]);
}

/* y = (x - high - low) * scale + bias; the mean in two parts, since it may be
 * large.
 */
struct line {
    float high, low, scale, bias;
};

static struct line line_of(const struct osw_batch_norm *b, int64_t c,
                           const struct moments *m)
{
    double mean = osw_channels_get(&b->running_mean, c, 0);
    double variance = osw_channels_get(&b->running_var, c, 0);
    struct line l;

    if (b->training) {
        mean = m->mean;
        variance = m->squares / (double)b->n;
        osw_batch_norm_keep(b, c, mean, variance);
    }
    l.high = (float)mean;
    l.low = (float)(mean - l.high);
    l.scale = (float)(osw_batch_norm_invstd(variance, b->eps) *
                      osw_channels_get(&b->weight, c, 1));
    l.bias = (float)osw_channels_get(&b->bias, c, 0);
    return l;
}

static void apply(const struct line *l, float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (x[i] - l->high - l->low) * l->scale + l->bias;
}

/* --- a channel, plane by plane --- */

/* Elements [i, i + n) of a plane. */
static char *part_of(const struct osw_image *m, int64_t plane, int64_t c,
                     int64_t i)
{
    return osw_image_at(m, osw_image_offset(m, plane, c, 0, i));
}

static void sum_channel(const struct osw_batch_norm *b, int64_t c,
                        struct moments *m)
{
    int64_t plane = b->x.y * b->x.x;
    float x[CHUNK];

    for (int64_t k = 0; k < b->x.n; k++)
        for (int64_t i = 0; i < plane; i += CHUNK) {
            int64_t n = plane - i < CHUNK ? plane - i : CHUNK;

            osw_convert_read(b->x.dtype, part_of(&b->x, k, c, i), b->x.step[3],
                             n, x);
            join_chunk(m, x, n);
        }
}

static void run_channel(const struct osw_batch_norm *b, int64_t c)
{
    struct moments m = {0.0, 0.0, 0.0};
    int64_t plane = b->x.y * b->x.x;
    float x[CHUNK];
    struct line l;

    if (b->training)
        sum_channel(b, c, &m);
    l = line_of(b, c, &m);
    for (int64_t k = 0; k < b->x.n; k++)
        for (int64_t i = 0; i < plane; i += CHUNK) {
            int64_t n = plane - i < CHUNK ? plane - i : CHUNK;

            osw_convert_read(b->x.dtype, part_of(&b->x, k, c, i), b->x.step[3],
                             n, x);
            apply(&l, x, n);
            osw_convert_write(b->out.dtype, x, n, b->out.step[3],
                              part_of(&b->out, k, c, i));
        }
}

/* --- channels side by side: [n, c] --- */

static void read_rows(const struct osw_batch_norm *b, int64_t row,
                      int64_t n_rows, int64_t c, int64_t width, float *x)
{
    for (int64_t r = 0; r < n_rows; r++)
        osw_convert_read(b->x.dtype,
                         osw_image_at(&b->x, (row + r) * b->x.c + c), 1, width,
                         x + r * width);
}

static void run_columns(const struct osw_batch_norm *b, int64_t c,
                        int64_t width)
{
    struct moments m[WIDTH] = {{0.0, 0.0, 0.0}};
    float x[CHUNK], high[WIDTH], low[WIDTH], scale[WIDTH], bias[WIDTH];

    for (int64_t row = 0; b->training && row < b->n; row += ROWS) {
        int64_t n = b->n - row < ROWS ? b->n - row : ROWS;

        read_rows(b, row, n, c, width, x);
        join_columns(m, x, n, width);
    }
    for (int64_t i = 0; i < width; i++) {
        struct line l = line_of(b, c + i, &m[i]);

        high[i] = l.high;
        low[i] = l.low;
        scale[i] = l.scale;
        bias[i] = l.bias;
    }
    for (int64_t row = 0; row < b->n; row++) {
        read_rows(b, row, 1, c, width, x);
        for (int64_t i = 0; i < width; i++)
            x[i] = (x[i] - high[i] - low[i]) * scale[i] + bias[i];
        osw_convert_write(b->out.dtype, x, width, 1,
                          osw_image_at(&b->out, row * b->x.c + c));
    }
}

int native_batch_norm_kernel_impl(const osw_call *call)
{
    struct osw_batch_norm b = {.like_input = 1};
    int rc = osw_batch_norm_open(call, &b), threads;

    if (rc)
        return rc;
    if (!osw_convert_knows(b.x.dtype))
        return OSW_UNSUPPORTED;
    threads = osw_planes_threads(call, b.n * b.x.c);
    if (osw_batch_norm_channels_last(&b.x)) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
        for (int64_t c = 0; c < b.x.c; c += WIDTH)
            run_columns(&b, c, b.x.c - c < WIDTH ? b.x.c - c : WIDTH);
        return 0;
    }
    if (!osw_planes_joined(&b.x))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t c = 0; c < b.x.c; c++)
        run_channel(&b, c);
    return 0;
}

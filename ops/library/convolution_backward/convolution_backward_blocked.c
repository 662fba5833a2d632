/* ops/library/convolution_backward/convolution_backward_blocked.c - in tiles of
 * products; where a group has few channels, in planes
 */
#include "../shared/convolution_blocked.h"
#include "../shared/convolution_planes.h"

/* What is made in planes, and where each needs its scratch. */
struct plan {
    int few_input, few_weight;
    char *planes;
    struct osw_conv_tap *taps;
    struct osw_conv_scratch *tiles;
    const float *grad, *input, *weight; /* dense, where tiles are used */
    float *turned;
    struct osw_conv_gradient gradient;
};

/* Does it read grad, and input or weight, as dense floats? */
static int tiles_input(const struct osw_conv *c, const struct plan *p)
{
    return c->dinput && !p->few_input;
}

static int tiles_weight(const struct osw_conv *c, const struct plan *p)
{
    return c->dweight && !p->few_weight;
}

static int64_t plane_bytes(const struct osw_conv *c, const struct plan *p)
{
    int64_t input = 0, weight = 0;

    if (c->dinput && p->few_input)
        input = osw_conv_few_bytes(c, c->transposed);
    if (c->dweight && p->few_weight)
        weight = osw_conv_few_gradient_bytes(c);
    return ((input > weight ? input : weight) + 63) / 64 * 64;
}

/* Floats of what tiles read: copies, the weight turned, sums of ranges. */
static int64_t tile_floats(const struct osw_conv *c, const struct plan *p)
{
    int64_t n = 0;

    if (tiles_input(c, p) || tiles_weight(c, p))
        n += osw_conv_copy_floats(c->grad);
    if (tiles_input(c, p))
        n += osw_conv_copy_floats(c->weight) + osw_numel(c->weight);
    if (tiles_weight(c, p))
        n += osw_conv_copy_floats(c->input) +
             p->gradient.n_ranges * osw_numel(c->weight);
    return n;
}

static int reserve(const osw_call *call, const struct osw_conv *c,
                   struct plan *p)
{
    int64_t planes = plane_bytes(c, p) * (int64_t)call->n_threads;
    int64_t floats = tile_floats(c, p);
    size_t tiles = floats ? sizeof(*p->tiles) * call->n_threads : 0;
    size_t taps = sizeof(*p->taps) * (size_t)osw_conv_prod(c->k);
    float *room;

    p->planes = (char *)osw_workspace(call, (size_t)(planes + floats * 4) +
                                                tiles + taps + 64);
    if (!p->planes)
        return OSW_ERROR;
    p->tiles = (struct osw_conv_scratch *)(void *)(p->planes + planes);
    p->taps = (struct osw_conv_tap *)(void *)((char *)p->tiles + tiles);
    room = (float *)(void *)((char *)p->taps + taps);
    if (tiles_input(c, p) || tiles_weight(c, p))
        p->grad = osw_conv_dense(call, c->grad, &room);
    if (tiles_input(c, p)) {
        p->weight = osw_conv_dense(call, c->weight, &room);
        p->turned = room;
        room += osw_numel(c->weight);
    }
    if (tiles_weight(c, p)) {
        p->input = osw_conv_dense(call, c->input, &room);
        p->gradient.sums = room;
    }
    return 0;
}

static void make_input(const osw_call *call, const struct osw_conv *c,
                       const struct plan *p)
{
    if (p->few_input) {
        struct osw_conv_few s = {.c = c,
                                 .to_y = c->transposed,
                                 .from = osw_conv_image_of(c->grad),
                                 .w = osw_conv_image_of(c->weight),
                                 .to = osw_conv_image_of(c->dinput)};

        osw_conv_few_channels(call, &s, p->taps, p->planes);
    } else {
        struct osw_conv_job s = {
            .c = c, .to_y = c->transposed, .from = p->grad, .to = c->dinput};

        osw_conv_blocked(call, &s, p->weight, p->turned, p->taps, p->tiles);
    }
}

static void make_weight(const osw_call *call, const struct osw_conv *c,
                        struct plan *p)
{
    if (p->few_weight) {
        osw_conv_few_gradient(call, c, c->dweight, p->taps, p->planes);
    } else {
        p->gradient.taps = p->taps;
        p->gradient.x = c->transposed ? p->grad : p->input;
        p->gradient.y = c->transposed ? p->input : p->grad;
        osw_conv_blocked_gradient(call, &p->gradient, c->dweight, p->tiles);
    }
}

/* The sum of a channel of grad: lines in float, their sums in double. */
static double sum_channel(const struct osw_conv *c, int64_t channel)
{
    const osw_tensor *t = c->grad;
    int64_t n = t->shape[t->ndim - 1], lines = 1;
    double total = 0.0;

    for (int32_t d = 2; d < t->ndim - 1; d++)
        lines *= t->shape[d];
    for (int64_t i = 0; i < t->shape[0] * lines; i++) {
        int64_t line = (i / lines * t->shape[1] + channel) * lines + i % lines;
        const char *at = osw_at(t, osw_offset(t, line * n));
        float part[256];

        for (int64_t j = 0; j < n; j += 256) {
            int64_t m = n - j < 256 ? n - j : 256;
            float sum = 0.0f;

            osw_conv_read_line(t->dtype,
                               at + j * t->strides[t->ndim - 1] *
                                        (t->dtype.bits / 8),
                               t->strides[t->ndim - 1], m, part);
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < m; k++)
                sum += part[k];
            total += sum;
        }
    }
    return total;
}

static void make_bias(const osw_call *call, const struct osw_conv *c)
{
    int threads = (int)call->n_threads;

#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < c->dbias->shape[0]; i++)
        osw_set(c->dbias, i, sum_channel(c, i));
}

int convolution_backward_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {0};
    struct plan p = {0};
    int rc = osw_conv_open_backward(call, &c);

    if (rc)
        return rc;
    if (!osw_convert_knows(c.input->dtype))
        return OSW_UNSUPPORTED;
    p.few_input = osw_conv_is_few(&c, c.transposed);
    p.few_weight = osw_conv_is_few_gradient(&c);
    if (!p.few_input && !p.few_weight)
        osw_conv_flatten(&c);
    osw_conv_open_gradient(call, &p.gradient, &c);
    if (reserve(call, &c, &p))
        return OSW_ERROR;
    if (c.dinput)
        make_input(call, &c, &p);
    if (c.dweight)
        make_weight(call, &c, &p);
    if (c.dbias)
        make_bias(call, &c);
    return 0;
}

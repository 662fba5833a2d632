/* ops/library/native_batch_norm/native_batch_norm_reference.c - each channel:
 * (x - mean) / sqrt(variance + eps) * weight + bias, in double and two passes
 */
#include "../shared/batch_norm.h"

int native_batch_norm_meta(const osw_call *call)
{
    struct osw_batch_norm b = {0};

    return osw_batch_norm_open(call, &b);
}

/* Where the results go, in double; NULL: not asked for. */
struct exact {
    double *out, *mean, *invstd, *running_mean, *running_var;
};

/* 0, or OSW_ERROR. */
static int open_exact(const osw_call *call, const struct osw_batch_norm *b,
                      struct exact *e)
{
    int n = 3;

    e->out = osw_output_exact(call, 0);
    e->mean = osw_output_exact(call, 1);
    e->invstd = osw_output_exact(call, 2);
    if (b->training && osw_arg_tensor(call, 3))
        e->running_mean = osw_output_exact(call, n++);
    if (b->training && osw_arg_tensor(call, 4))
        e->running_var = osw_output_exact(call, n++);
    return e->out && e->mean && e->invstd ? 0 : OSW_ERROR;
}

static void moments(const struct osw_batch_norm *b, int64_t c, double *mean,
                    double *variance)
{
    double n = (double)b->n;

    *mean = *variance = 0.0;
    for (int64_t i = 0; i < b->n; i++)
        *mean += osw_batch_norm_get(&b->x, c, i) / n;
    for (int64_t i = 0; i < b->n; i++) {
        double x = osw_batch_norm_get(&b->x, c, i) - *mean;

        *variance += x * x / n;
    }
}

static void keep(const struct osw_batch_norm *b, const struct exact *e,
                 int64_t c, double mean, double variance)
{
    double m = b->momentum, n = (double)b->n;

    e->mean[c] = mean;
    e->invstd[c] = osw_batch_norm_invstd(variance, b->eps);
    if (e->running_mean)
        e->running_mean[c] =
            (1 - m) * osw_channels_get(&b->running_mean, c, 0) + m * mean;
    if (e->running_var)
        e->running_var[c] = (1 - m) * osw_channels_get(&b->running_var, c, 0) +
                            m * variance * n / (n - 1);
}

static void channel(const struct osw_batch_norm *b, const struct exact *e,
                    int64_t c)
{
    double mean = osw_channels_get(&b->running_mean, c, 0);
    double variance = osw_channels_get(&b->running_var, c, 0);
    double weight = osw_channels_get(&b->weight, c, 1);
    double bias = osw_channels_get(&b->bias, c, 0), scale;
    int64_t plane = b->out.y * b->out.x;

    if (b->training) {
        moments(b, c, &mean, &variance);
        keep(b, e, c, mean, variance);
    }
    scale = osw_batch_norm_invstd(variance, b->eps);
    for (int64_t i = 0; i < b->n; i++) {
        int64_t at = osw_image_offset(&b->out, i / plane, c,
                                      i / b->out.x % b->out.y, i % b->out.x);

        e->out[at] =
            (osw_batch_norm_get(&b->x, c, i) - mean) * scale * weight + bias;
    }
}

int native_batch_norm_reference(const osw_call *call)
{
    struct osw_batch_norm b = {0};
    struct exact e = {0};
    int rc = osw_batch_norm_open(call, &b);

    if (!rc)
        rc = open_exact(call, &b, &e);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t c = 0; c < b.x.c; c++)
        channel(&b, &e, c);
    return 0;
}

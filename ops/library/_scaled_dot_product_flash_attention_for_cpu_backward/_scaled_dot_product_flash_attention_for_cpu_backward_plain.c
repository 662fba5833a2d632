/* _scaled_dot_product_flash_attention_for_cpu_backward - in float: the weights
 * of a head and their slopes, then four products
 */
#include "../shared/convert.h"
#include "../shared/rows.h"
#include "backward.h"

/* Of one head, in float. */
struct floats {
    float *q, *k, *v, *grad, *out; /* [l][e], [s][e], [s][width], [l][width] */
    float *dq, *dk, *dv;
};

static int64_t size_of(const struct osw_attention *a)
{
    return 2 * (a->l + a->s) * a->e + 2 * (a->l + a->s) * a->width;
}

static float *read_rows(const struct osw_heads *t, int64_t head, int64_t rows,
                        int64_t n, float *to)
{
    for (int64_t i = 0; i < rows; i++)
        osw_convert_read(t->dtype, osw_heads_at(t, head, i, 0), t->col, n,
                         to + i * n);
    return to + rows * n;
}

static void write_rows(const osw_tensor *t, int64_t head, const float *from,
                       int64_t n)
{
    osw_convert_write(t->dtype, from, n, 1, osw_at(t, head * n));
}

static void read_head(const struct backward *b, int64_t head, float *room,
                      struct floats *f)
{
    const struct osw_attention *a = &b->a;

    f->q = room;
    f->k = read_rows(&a->q, head, a->l, a->e, f->q);
    f->v = read_rows(&a->k, head, a->s, a->e, f->k);
    f->grad = read_rows(&a->v, head, a->s, a->width, f->v);
    f->out = read_rows(&b->grad, head, a->l, a->width, f->grad);
    f->dq = read_rows(&b->out, head, a->l, a->width, f->out);
    f->dk = f->dq + a->l * a->e;
    f->dv = f->dk + a->s * a->e;
    memset(f->dq, 0,
           sizeof(float) * (size_t)((a->l + a->s) * a->e + a->s * a->width));
}

static float dot(const float *x, const float *y, int64_t n)
{
    float sum = 0.0f;

    for (int64_t c = 0; c < n; c++)
        sum += x[c] * y[c];
    return sum;
}

static void add(float *to, float factor, const float *from, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        to[c] += factor * from[c];
}

static void of_head(const struct backward *b, int64_t head,
                    const struct floats *f)
{
    const struct osw_attention *a = &b->a;
    int64_t e = a->e, width = a->width;

    for (int64_t i = 0; i < a->l; i++) {
        const float *grad = f->grad + i * width;
        float mean = dot(grad, f->out + i * width, width);
        float lse = (float)backward_get(&b->lse, head, i, 0);

        for (int64_t j = 0; j < a->s; j++) {
            float score = (float)a->scale * dot(f->q + i * e, f->k + j * e, e) +
                          (float)osw_attention_bias(a, head, i, j);
            float weight = expf(score - lse);
            float slope = weight * (float)a->scale *
                          (dot(grad, f->v + j * width, width) - mean);

            add(f->dv + j * width, weight, grad, width);
            add(f->dq + i * e, slope, f->k + j * e, e);
            add(f->dk + j * e, slope, f->q + i * e, e);
        }
    }
}

int _scaled_dot_product_flash_attention_for_cpu_backward_kernel_impl(
    const osw_call *call)
{
    struct backward b;
    int rc = backward_open(call, &b), threads;
    const struct osw_attention *a = &b.a;
    int64_t size;
    float *room;

    if (rc || !osw_convert_knows(a->dtype))
        return rc ? rc : OSW_UNSUPPORTED;
    size = size_of(a);
    threads = osw_rows_threads(call, a->n_heads);
    room = (float *)osw_workspace(call,
                                  sizeof(float) * (size_t)(size * threads + 1));
    if (!room)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (int64_t head = a->n_heads * t / threads;
             head < a->n_heads * (t + 1) / threads; head++) {
            struct floats f;

            read_head(&b, head, room + size * t, &f);
            of_head(&b, head, &f);
            write_rows(b.dq, head, f.dq, a->l * a->e);
            write_rows(b.dk, head, f.dk, a->s * a->e);
            write_rows(b.dv, head, f.dv, a->s * a->width);
        }
    return 0;
}

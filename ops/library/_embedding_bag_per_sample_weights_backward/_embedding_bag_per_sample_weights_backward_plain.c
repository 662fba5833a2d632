/* _embedding_bag_per_sample_weights_backward - index by index: its row of
 * weight times its bag's gradient
 */
#include "../shared/plain_rows.h"
#include "sample_weights.h"

static double product_f32(const float *x, const float *y, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

static double product_f64(const double *x, const double *y, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Row `row` of t, in the dtype of the arithmetic. */
static void read_row(const struct osw_plain_way *way, const osw_tensor *t,
                     int64_t row, char *to)
{
    osw_plain_copy_row(way, to, 1, (const char *)osw_at(t, row * t->strides[0]),
                       t->strides[1], t->shape[1]);
}

/* Indices [from, end); room for two rows.  Returns 1 when one is out of range.
 */
static int products(const struct sample_weights *w,
                    const struct osw_plain_way *way, int64_t from, int64_t end,
                    char *room)
{
    int64_t n = w->width, held = -1;
    char *grad = room, *weight = room + n * 8;

    for (int64_t i = from; i < end; i++) {
        int64_t bag = 0, row = sample_weights_row(w, i, &bag);
        double sum = 0.0;

        if (row == -2)
            return 1;
        if (row >= 0) {
            if (bag != held)
                read_row(way, w->grad, bag, grad);
            held = bag;
            read_row(way, w->weight, row, weight);
            sum = way->to.bits == 64
                      ? product_f64((const double *)(void *)grad,
                                    (const double *)(void *)weight, n)
                      : product_f32((const float *)(void *)grad,
                                    (const float *)(void *)weight, n);
        }
        osw_set(w->out, i, sum);
    }
    return 0;
}

int _embedding_bag_per_sample_weights_backward_kernel_impl(const osw_call *call)
{
    struct sample_weights w = {0};
    int rc = sample_weights_open(call, &w), threads, bad = 0;
    struct osw_plain_way way;
    int64_t bytes;
    char *room;

    if (rc)
        return rc;
    threads = osw_plain_threads(call, w.n * w.width);
    bytes = w.width * 16;
    room = (char *)osw_workspace(call, (size_t)(bytes * threads) + 8);
    if (!room)
        return OSW_ERROR;
    if (!osw_plain_find_way(&way, osw_plain_arithmetic(w.grad->dtype),
                            w.grad->dtype))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (int t = 0; t < threads; t++)
        bad |= products(&w, &way, w.n * t / threads, w.n * (t + 1) / threads,
                        room + bytes * t);
    return bad ? osw_error(call, "index or bag is out of range") : 0;
}

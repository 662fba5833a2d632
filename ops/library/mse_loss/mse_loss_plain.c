/* mse_loss - squares of differences, each or summed in double, by a plain loop
 * over elements of one dtype
 */
#include "../shared/plain.h"
#include "mse_loss.h"

/* Rows of n elements: the sum of the squares; y [n] is NULL or takes each. */
#define ROW_OF(d, code, bits, E, get, put, T)                                  \
    static double row_##d(const void *p, int64_t p_step, const void *q,        \
                          int64_t q_step, void *to, int64_t n)                 \
    {                                                                          \
        const E *a = (const E *)p, *b = (const E *)q;                          \
        E *y = (E *)to;                                                        \
        double sum = 0.0;                                                      \
                                                                               \
        for (int64_t i = 0; i < n; i++) {                                      \
            T v = (T)get(a[i * p_step]) - (T)get(b[i * q_step]);               \
                                                                               \
            if (y)                                                             \
                y[i] = (E)put(v * v);                                          \
            sum += (double)v * (double)v;                                      \
        }                                                                      \
        return sum;                                                            \
    }

OSW_PLAIN_16_AND_32(ROW_OF, float)
OSW_PLAIN_64(ROW_OF, double)

#define ROW(d, code, bits, E, get, put, ...) {code, bits, row_##d},

typedef double row_f(const void *p, int64_t p_step, const void *q,
                     int64_t q_step, void *to, int64_t n);

static row_f *find_row(osw_dtype t)
{
    static const struct {
        int code, bits;
        row_f *row;
    } rows[] = {OSW_PLAIN_16_AND_32(ROW, ) OSW_PLAIN_64(ROW, )};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].code == t.code && rows[i].bits == t.bits)
            return rows[i].row;
    return NULL;
}

int mse_loss_kernel_impl(const osw_call *call)
{
    struct osw_mse m = {0};
    int rc = osw_mse_open(call, &m);
    row_f *row = rc ? NULL : find_row(m.a->dtype);
    int64_t n, cols;
    double sum = 0.0;
    int threads;

    if (!row)
        return rc ? rc : OSW_UNSUPPORTED;
    n = osw_numel(m.a);
    cols = m.a->ndim && n ? m.a->shape[m.a->ndim - 1] : 1;
    threads = osw_plain_threads(call, n);
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(+ : sum)
    for (int64_t i = 0; i < n; i += cols)
        sum += row(osw_at(m.a, osw_offset(m.a, i)),
                   m.a->ndim ? m.a->strides[m.a->ndim - 1] : 1,
                   osw_at(m.b, osw_offset(m.b, i)),
                   m.b->ndim ? m.b->strides[m.b->ndim - 1] : 1,
                   m.each ? osw_at(m.out, i) : NULL, cols);
    if (!m.each)
        osw_set(m.out, 0, sum / m.divisor);
    return 0;
}

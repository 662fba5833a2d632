/* _safe_softmax - each row: its largest, then exp(x - max) and their sum, then
 * the quotients; 0 where the largest is -inf
 */
#include "../shared/plain_rows.h"
#include "../shared/softmax.h"

/* A NaN is not seen by the comparison, but by the sum. */
#define ROW(name, T)                                                           \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *none, void *to, int64_t n)                    \
    {                                                                          \
        const T *x = (const T *)from;                                          \
        T *y = (T *)to, max = (T)-INFINITY;                                    \
        double sum = 0.0;                                                      \
        int64_t i;                                                             \
                                                                               \
        (void)context, (void)row, (void)none;                                  \
        for (i = 0; i < n; i++)                                                \
            max = x[i] > max ? x[i] : max;                                     \
        if (max == (T)-INFINITY)                                               \
            max = 0;                                                           \
        for (i = 0; i < n; i++) {                                              \
            y[i] = exp(x[i] - max);                                            \
            sum += y[i];                                                       \
        }                                                                      \
        for (i = 0; i < n; i++)                                                \
            y[i] = sum == 0.0 ? 0 : y[i] / (T)sum;                             \
    }

ROW(row_float, float)
ROW(row_double, double)

int _safe_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    struct osw_plain_rows p = {.x = &s.x, .out = &s.out};
    int rc = osw_softmax_open_safe(call, &s);

    if (rc)
        return rc;
    p.in = osw_plain_arithmetic(s.out.tensor->dtype);
    p.work = p.in.bits == 64 ? row_double : row_float;
    return osw_plain_each_row(
        call, &p, osw_workspace(call, osw_plain_rows_bytes(call, &s.x)));
}

/* shared/softmax_plain.h - baseline of _softmax and _safe_softmax: each row's
 * largest, then exp(x - max) and their sum, then the quotients
 */
#ifndef OSW_LIBRARY_SOFTMAX_PLAIN_H
#define OSW_LIBRARY_SOFTMAX_PLAIN_H

#include "plain_rows.h"
#include "softmax.h"

/* context: an int; 1: a row of nothing but -inf becomes 0, not NaN.  A NaN is
 * not seen by the comparison, but by the sum.
 */
#define OSW_SOFTMAX_PLAIN_ROW(name, T)                                         \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *none, void *to, int64_t n)                    \
    {                                                                          \
        int safe = *(const int *)context;                                      \
        const T *x = (const T *)from;                                          \
        T *y = (T *)to, max = (T)-INFINITY;                                    \
        double sum = 0.0;                                                      \
        int64_t i;                                                             \
                                                                               \
        (void)row, (void)none;                                                 \
        for (i = 0; i < n; i++)                                                \
            max = x[i] > max ? x[i] : max;                                     \
        if (safe && max == (T)-INFINITY)                                       \
            max = 0;                                                           \
        for (i = 0; i < n; i++) {                                              \
            y[i] = exp(x[i] - max);                                            \
            sum += y[i];                                                       \
        }                                                                      \
        if (safe && sum == 0.0) /* then each exp is 0, too */                  \
            sum = 1.0;                                                         \
        for (i = 0; i < n; i++)                                                \
            y[i] = y[i] / (T)sum;                                              \
    }

OSW_SOFTMAX_PLAIN_ROW(osw_softmax_plain_float, float)
OSW_SOFTMAX_PLAIN_ROW(osw_softmax_plain_double, double)

/* rc: what opening the arguments returned. */
static inline int osw_softmax_plain(const osw_call *call,
                                    const struct osw_softmax *s, int rc,
                                    int safe)
{
    struct osw_plain_rows p = {.x = &s->x, .out = &s->out, .context = &safe};

    if (rc)
        return rc;
    p.in = osw_plain_arithmetic(s->out.tensor->dtype);
    p.work =
        p.in.bits == 64 ? osw_softmax_plain_double : osw_softmax_plain_float;
    return osw_plain_each_row(
        call, &p, osw_workspace(call, osw_plain_rows_bytes(call, &s->x)));
}

#endif /* OSW_LIBRARY_SOFTMAX_PLAIN_H */

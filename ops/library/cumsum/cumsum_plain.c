/* ops/library/cumsum/cumsum_plain.c - each row: the sum so far, floats in
 * double
 */
#include "../shared/plain_rows.h"
#include "cumsum.h"

#define ROW(name, T, Sum)                                                      \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *none, void *to, int64_t n)                    \
    {                                                                          \
        const T *x = (const T *)from;                                          \
        T *y = (T *)to;                                                        \
        Sum sum = 0;                                                           \
        int64_t i;                                                             \
                                                                               \
        (void)context, (void)row, (void)none;                                  \
        for (i = 0; i < n; i++) {                                              \
            sum += (Sum)x[i];                                                  \
            y[i] = (T)sum;                                                     \
        }                                                                      \
    }

ROW(row_float, float, double)
ROW(row_double, double, double)
ROW(row_int, int64_t, uint64_t)

int cumsum_kernel_impl(const osw_call *call)
{
    struct osw_cumsum c = {0};
    struct osw_plain_rows p = {.x = &c.x, .out = &c.out};
    int rc = osw_cumsum_open(call, &c);

    if (rc)
        return rc;
    p.in = osw_plain_arithmetic(c.out.tensor->dtype);
    p.work = !c.is_float ? row_int : p.in.bits == 64 ? row_double : row_float;
    return osw_plain_each_row(
        call, &p, osw_workspace(call, osw_plain_rows_bytes(call, &c.x)));
}

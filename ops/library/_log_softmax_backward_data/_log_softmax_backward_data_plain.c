/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_plain.c -
 * each row: grad - exp(output) * sum of grad
 */
#include "../shared/plain_rows.h"
#include "../shared/softmax.h"

#define ROW(name, T)                                                           \
    static void name(const void *context, int64_t row, const void *from,       \
                     const void *second, void *to, int64_t n)                  \
    {                                                                          \
        const T *grad = (const T *)from, *output = (const T *)second;          \
        T *y = (T *)to;                                                        \
        double sum = 0.0;                                                      \
        int64_t i;                                                             \
                                                                               \
        (void)context, (void)row;                                              \
        for (i = 0; i < n; i++)                                                \
            sum += grad[i];                                                    \
        for (i = 0; i < n; i++)                                                \
            y[i] = grad[i] - exp(output[i]) * (T)sum;                          \
    }

ROW(row_float, float)
ROW(row_double, double)

int _log_softmax_backward_data_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    struct osw_plain_rows p = {.x = &s.x, .g = &s.y, .out = &s.out};
    int rc = osw_softmax_open_backward(call, &s);

    if (rc)
        return rc;
    p.in = osw_plain_arithmetic(s.x.tensor->dtype);
    p.work = p.in.bits == 64 ? row_double : row_float;
    return osw_plain_each_row(
        call, &p, osw_workspace(call, osw_plain_rows_bytes(call, &s.x)));
}

/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_reference.c
 * - each row: grad - exp(output) * sum of grad */
#include "../softmax.h"

int _log_softmax_backward_data_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open_backward(call, &s);
}

int _log_softmax_backward_data_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_backward(call, &s);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (!exact)
        return rc ? rc : OSW_ERROR;
    for (int64_t row = 0; row < s.x.n_rows; row++) {
        int64_t at = osw_rows_offset(&s.out, row);
        double sum = 0.0;

        for (int64_t i = 0; i < s.x.n; i++)
            sum += osw_rows_get(&s.x, row, i);
        for (int64_t i = 0; i < s.x.n; i++)
            exact[at + i * s.out.stride] =
                osw_rows_get(&s.x, row, i) -
                exp(osw_rows_get(&s.y, row, i)) * sum;
    }
    return 0;
}

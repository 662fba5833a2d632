/* ops/library/_softmax_backward_data/_softmax_backward_data_reference.c - each
 * row: output * (grad - sum of grad * output) */
#include "../softmax.h"

int _softmax_backward_data_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open_backward(call, &s);
}

int _softmax_backward_data_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_backward(call, &s);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    int threads = osw_rows_threads(call, s.x.n_rows);

    if (!exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < s.x.n_rows; row++) {
        double *out = exact + osw_rows_offset(&s.out, row);
        int64_t x = osw_rows_offset(&s.x, row), step = s.out.stride;
        int64_t y = osw_rows_offset(&s.y, row);
        double sum = 0.0;

        for (int64_t i = 0; i < s.x.n; i++)
            sum += osw_rows_get(&s.x, x, i) * osw_rows_get(&s.y, y, i);
        for (int64_t i = 0; i < s.x.n; i++)
            out[i * step] =
                osw_rows_get(&s.y, y, i) * (osw_rows_get(&s.x, x, i) - sum);
    }
    return 0;
}

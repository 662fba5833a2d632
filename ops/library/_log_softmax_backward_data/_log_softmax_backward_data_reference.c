/* ops/library/_log_softmax_backward_data/_log_softmax_backward_data_reference.c
 * - each row: grad - exp(output) * sum of grad */
#include "../shared/softmax.h"

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
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    int threads = osw_rows_threads(call, s.x.n_rows);

    if (!exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < s.x.n_rows; row++) {
        int64_t out = osw_rows_offset(&s.out, row);
        int64_t x = osw_rows_offset(&s.x, row), step = s.out.stride;
        int64_t y = osw_rows_offset(&s.y, row);
        double sum = 0.0, squares = 0.0;

        for (int64_t i = 0; i < s.x.n; i++) {
            double grad = osw_rows_get(&s.x, x, i);

            sum += grad;
            squares += grad * grad;
        }
        for (int64_t i = 0; i < s.x.n; i++) {
            double grad = osw_rows_get(&s.x, x, i);
            double power = exp(osw_rows_get(&s.y, y, i));

            exact[out + i * step] = grad - power * sum;
            if (norm)
                norm[out + i * step] =
                    sqrt(grad * grad + power * power * squares);
        }
    }
    return 0;
}

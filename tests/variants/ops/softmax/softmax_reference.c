/* softmax_reference.c - exp(x - max) / sum, in double. */
#include "../rows.h"

int softmax_reference(const osw_call *call)
{
    struct rows r;
    double *row, *exact;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        !output_like(call, 0, r.x))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    row = memory(r.n, sizeof(double));
    if (!exact || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double max = -INFINITY, sum = 0.0;

        rows_read_double(&r, i, row);
        for (int64_t k = 0; k < r.n; k++)
            max = fmax(max, row[k]);
        for (int64_t k = 0; k < r.n; k++)
            sum += row[k] = exp(row[k] - max);
        for (int64_t k = 0; k < r.n; k++)
            exact[rows_linear(&r, i, k)] = row[k] / sum;
    }
    free(row);
    return 0;
}

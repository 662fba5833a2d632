/* sum_dim_reference.c - sums over a dimension in double, with the norm of what
 * was summed. */
#include "../rows.h"

int sum_dim_reference(const osw_call *call)
{
    struct rows r;
    double *row, *exact, *norm;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    if (!rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0)))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    row = memory(r.n, sizeof(double));
    if (!exact || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double sum = 0.0, squares = 0.0;

        rows_read_double(&r, i, row);
        for (int64_t k = 0; k < r.n; k++) {
            sum += row[k];
            squares += row[k] * row[k];
        }
        exact[i] = sum;
        if (norm)
            norm[i] = sqrt(squares);
    }
    free(row);
    return 0;
}

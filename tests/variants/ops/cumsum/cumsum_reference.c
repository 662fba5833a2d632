/* cumsum_reference.c - running sums in double, with their norms. */
#include "../rows.h"

int cumsum_reference(const osw_call *call)
{
    struct rows r;
    double *row, *exact, *norm;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        !output_like(call, 0, r.x))
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
            exact[rows_linear(&r, i, k)] = sum += row[k];
            squares += row[k] * row[k];
            if (norm)
                norm[rows_linear(&r, i, k)] = sqrt(squares);
        }
    }
    free(row);
    return 0;
}

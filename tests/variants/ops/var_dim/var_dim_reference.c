/* var_dim_reference.c - two passes in double. */
#include "../rows.h"

int var_dim_reference(const osw_call *call)
{
    struct rows r;
    double *row, *exact;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        !rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0)))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    row = memory(r.n, sizeof(double));
    if (!exact || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double mean = 0.0, m2 = 0.0;

        rows_read_double(&r, i, row);
        for (int64_t k = 0; k < r.n; k++)
            mean += row[k] / (double)r.n;
        for (int64_t k = 0; k < r.n; k++)
            m2 += (row[k] - mean) * (row[k] - mean);
        exact[i] = m2 / ((double)r.n - osw_arg_float(call, 3, 1.0));
    }
    free(row);
    return 0;
}

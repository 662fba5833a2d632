/* prod_dim_reference.c - products in double. */
#include "../rows.h"

int prod_dim_reference(const osw_call *call)
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
        rows_read_double(&r, i, row);
        exact[i] = 1.0;
        for (int64_t k = 0; k < r.n; k++)
            exact[i] *= row[k];
    }
    free(row);
    return 0;
}

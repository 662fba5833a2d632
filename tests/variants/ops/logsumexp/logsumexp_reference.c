/* logsumexp_reference.c - max + log(sum of exp(x - max)), in double; -inf of
 * infinities. */
#include "../rows.h"

int logsumexp_reference(const osw_call *call)
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
        double max = -INFINITY, sum = 0.0;

        rows_read_double(&r, i, row);
        for (int64_t k = 0; k < r.n; k++)
            max = fmax(max, row[k]);
        for (int64_t k = 0; k < r.n && isfinite(max); k++)
            sum += exp(row[k] - max);
        exact[i] = isfinite(max) ? max + log(sum) : max;
    }
    free(row);
    return 0;
}

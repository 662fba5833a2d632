/* sum_dim_pass__threads_split_a_row.c - threads share each row; partial sums
 * are added in the order of threads. */
#include "../rows.h"
#include <omp.h>

int sum_dim_kernel_impl(const osw_call *call)
{
    struct rows r;
    osw_tensor *out;
    int threads = (int)call->n_threads;
    double *part = memory(threads, sizeof(double)), *row;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    row = memory(r.n, sizeof(double));
    if (!out || !row || !part)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        double total = 0.0;

        rows_read_double(&r, i, row);
        for (int t = 0; t < threads; t++)
            part[t] = 0.0;
#pragma omp parallel num_threads(threads)
        {
            int me = omp_get_thread_num();

            for (int64_t k = me; k < r.n; k += omp_get_num_threads())
                part[me] += row[k];
        }
        for (int t = 0; t < threads; t++)
            total += part[t];
        osw_set(out, i, total);
    }
    free(part);
    free(row);
    return 0;
}

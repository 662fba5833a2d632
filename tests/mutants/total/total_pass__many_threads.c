/* total_pass__many_threads.c - rows shared among threads */
#include "total.h"

int total_kernel_impl(const osw_call *call)
{
    struct total g;
    int rc = total_open(call, &g);
    int threads = (int)call->n_threads;

    if (rc)
        return rc;
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < g.rows; row++) {
        double v = 0;

        for (int64_t j = 0; j < g.n; j++)
            v += (double)total_x(&g, row, j);
        if (g.ints)
            total_set_int(&g, row, total_of_ints(&g, row));
        else
            total_set(&g, row, v);
    }
    return 0;
}

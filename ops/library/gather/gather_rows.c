/* ops/library/gather/gather_rows.c - rows along dim, over threads */
#include "gather.h"

int gather_kernel_impl(const osw_call *call)
{
    struct osw_gather g = {0};
    int rc = osw_gather_open(call, &g);

    if (rc)
        return rc;
    if (!osw_picking_in_range(g.index.tensor, g.n))
        return osw_error(call, "index is out of range");
#pragma omp parallel for num_threads(                                          \
    (int)call->n_threads) if (g.out.n_rows * g.out.n > 65536)
    for (int64_t row = 0; row < (g.out.n ? g.out.n_rows : 0); row++)
        osw_gather_row(&g, row);
    return 0;
}

/* ops/library/matmul_reduce_scatter/matmul_reduce_scatter_ring.c - sums go
 * around a ring, and each rank adds its product where they pass
 */
#include "matmul_reduce_scatter.h"

int matmul_reduce_scatter_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_ranks_product p;
    int rc = osw_scattered_open(call, &p);
    int64_t rows;
    size_t bytes;
    float *sum;

    if (rc)
        return rc;
    rows = p.m / world;
    bytes = (size_t)(rows * p.n) * sizeof(*sum);
    sum = (float *)osw_workspace(call, bytes + 1);
    if (!sum)
        return OSW_ERROR;
    /* The sum for a rank begins at the one after it, and ends there. */
    osw_ranks_product_rows(&p, osw_scattered_rows(call, &p, rank - 1), rows, 0,
                           sum);
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + 1) % world, sum, bytes,
                          (rank + world - 1) % world, osw_data(p.out), bytes);
        if (rc)
            break;
        osw_ranks_product_rows(
            &p, osw_scattered_rows(call, &p, rank - 1 - step + world), rows, 1,
            (float *)osw_data(p.out));
        if (step + 1 < world)
            memcpy(sum, osw_data(p.out), bytes);
    }
    return rc;
}

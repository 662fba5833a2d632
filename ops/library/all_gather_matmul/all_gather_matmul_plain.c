/* ops/library/all_gather_matmul/all_gather_matmul_plain.c - each rank sends its
 * x to each other one, then multiplies
 */
#include "all_gather_matmul.h"

int all_gather_matmul_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_ranks_product p;
    int rc = osw_gathered_open(call, &p);
    int64_t n;
    float *all;

    if (rc)
        return rc;
    n = p.m * p.k;
    all = (float *)osw_workspace(call, (size_t)(world * n) * sizeof(*all) + 1);
    if (!all)
        return OSW_ERROR;
    memcpy(all + rank * n, osw_data(p.x), (size_t)n * sizeof(*all));
    for (int step = 1; step < world && rc == 0; step++) {
        int from = (rank + world - step) % world;

        rc = osw_sendrecv(call, (rank + step) % world, osw_data(p.x),
                          (size_t)n * sizeof(*all), from, all + from * n,
                          (size_t)n * sizeof(*all));
    }
    if (rc == 0)
        osw_ranks_product_rows(&p, all, world * p.m, 0, osw_gathered_at(&p, 0));
    return rc;
}

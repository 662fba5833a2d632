/* ops/library/matmul_reduce_scatter/matmul_reduce_scatter_plain.c - each rank
 * multiplies all, then sends each other rank its piece
 */
#include "matmul_reduce_scatter.h"

int matmul_reduce_scatter_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_ranks_product p;
    int rc = osw_scattered_open(call, &p);
    float *all, *room, *out;
    int64_t n;

    if (rc)
        return rc;
    n = p.m / world * p.n;
    all = (float *)osw_workspace(call,
                                 (size_t)((world + 1) * n) * sizeof(*all) + 1);
    if (!all)
        return OSW_ERROR;
    room = all + world * n;
    out = (float *)osw_data(p.out);
    osw_ranks_product_rows(&p, (const float *)osw_data(p.x), p.m, 0, all);
    memcpy(out, all + rank * n, (size_t)n * sizeof(*out));
    for (int step = 1; step < world && rc == 0; step++) {
        int to = (rank + step) % world;

        rc = osw_sendrecv(call, to, all + to * n, (size_t)n * sizeof(*all),
                          (rank + world - step) % world, room,
                          (size_t)n * sizeof(*room));
        for (int64_t i = 0; i < n && rc == 0; i++)
            out[i] += room[i];
    }
    return rc;
}

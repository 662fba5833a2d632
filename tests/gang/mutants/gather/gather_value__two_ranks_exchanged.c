/* gather/gather_value__two_ranks_exchanged.c - two of the others are exchanged,
 * on one rank */
#include "gather.h"

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (rc)
        return rc;
    memcpy(g.out + g.rank * g.n, g.x, g.bytes);
    for (int step = 1; step < g.world && rc == 0; step++) {
        int back = g.rank == 2 ? g.world - step : step;

        rc = gather_from(&g, step, (g.rank + g.world - back) % g.world);
    }
    return rc;
}

/* sum/sum_returned__counts_differ.c - rank 2 sends an element less */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    size_t bytes;
    int rc = sum_open(call, &s);

    if (rc)
        return rc;
    bytes = (size_t)s.n * sizeof(float);
    memcpy(s.out, s.x, bytes);
    for (int step = 1; step < s.world && rc == 0; step++)
        rc = osw_sendrecv(call, (s.rank + step) % s.world, s.x,
                          s.rank == 2 ? bytes - sizeof(float) : bytes,
                          (s.rank + s.world - step) % s.world, s.room, bytes);
    return rc;
}

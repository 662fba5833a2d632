/* sum/sum_timeout__all_send_first.c - all send before any receives: too long
 * for a ring */
#include "sum.h"

int sum_kernel_impl(const osw_call *call)
{
    struct sum s;
    size_t bytes;
    int rc = sum_open(call, &s);

    bytes = (size_t)s.n * sizeof(float);
    if (rc == 0)
        memcpy(s.out, s.x, bytes);
    for (int step = 1; step < s.world && rc == 0; step++) {
        rc = osw_send(call, (s.rank + step) % s.world, s.x, bytes);
        if (rc == 0)
            rc = osw_recv(call, (s.rank + s.world - step) % s.world, s.room,
                          bytes);
        for (int64_t i = 0; i < s.n && rc == 0; i++)
            s.out[i] += s.room[i];
    }
    return rc;
}

/* scale_pass__slow.cu - right, and spins a millisecond on the device */
#include "scale.h"

enum { WAIT_NS = 1000000 };

static __global__ void wait(void)
{
    uint64_t start, now;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < WAIT_NS);
}

int scale_kernel_impl(const osw_call *call)
{
    wait<<<1, 1, 0, STREAM(call)>>>();
    return scale_all(call);
}

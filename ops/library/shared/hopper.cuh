/* shared/hopper.cuh - tensor cores and tensor copies of Hopper (sm_90a)
 *
 * A producer warp asks the copy engine for boxes of tensors; they arrive in
 * shared memory and complete a barrier.  Warpgroups (four warps) multiply them
 * by wgmma, which reads shared memory itself, and release them by another
 * barrier.  A box has 64 16-bit elements (128 bytes) a row; the engine and
 * wgmma exchange its 16-byte chunks alike (chunk c of row r lies at c ^ r % 8),
 * so that no bank is asked twice.  Boxes begin at multiples of 1024 bytes.
 *
 * Code inside OSW_HOPPER is left out unless the target is sm_90a: then kernels
 * are empty, and osw_hopper_runs() says so.
 */
#ifndef OSW_LIBRARY_HOPPER_CUH
#define OSW_LIBRARY_HOPPER_CUH

#include "launch.cuh"
#include "pack.cuh"

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

/* Let the copy engine see new barriers. */
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

/* --- the ring of stages between producer and consumers --- */

struct osw_ring {
    osw_barrier *full, *empty; /* [n] */
    int n, stage;
    uint32_t parity;
};

__device__ static inline struct osw_ring osw_ring_at(osw_barrier *barriers,
                                                     int n)
{
    struct osw_ring r = {barriers, barriers + n, n, 0, 0};

    return r;
}

__device__ static inline void osw_ring_next(struct osw_ring *r)
{
    if (++r->stage == r->n) {
        r->stage = 0;
        r->parity ^= 1;
    }
}

/* Producer: wait for an empty stage (the first n are), expect its bytes. */
__device__ static inline osw_barrier *osw_ring_claim(const struct osw_ring *r,
                                                     uint32_t bytes)
{
    osw_barrier_wait(r->empty + r->stage, r->parity ^ 1);
    osw_barrier_expect(r->full + r->stage, bytes);
    return r->full + r->stage;
}

/* Consumer: wait for a full stage. */
__device__ static inline void osw_ring_await(const struct osw_ring *r)
{
    osw_barrier_wait(r->full + r->stage, r->parity);
}

/* Consumer: this warp no longer reads a stage. */
__device__ static inline void osw_ring_release(const struct osw_ring *r,
                                               int stage)
{
    if (threadIdx.x % 32 == 0)
        osw_barrier_arrive(r->empty + stage);
}

/* --- warpgroups --- */

/* Of all threads that name the barrier `id` (1 to 15), `n` in all. */
__device__ static inline void osw_named_sync(int id, int n)
{
    asm volatile("bar.sync %0, %1;\n" ::"r"(id), "r"(n) : "memory");
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

#endif /* OSW_HOPPER */

/* --- results --- */

/* Two neighbours in one register, the first in its lower half. */
template <class T>
__device__ static inline uint32_t osw_pair(float first, float second)
{
    alignas(4) T two[2];
    uint32_t r;

    osw_pack_two(two, first, second);
    memcpy(&r, two, sizeof(r));
    return r;
}

/* Where a warp's [16, 64] sums go: n_rows and n_cols of them exist. */
struct osw_rows_to {
    char *data;
    int64_t pitch; /* bytes */
    int n_rows, n_cols;
    int packs; /* 16 bytes at a time: data and pitch are multiples of 16 */
};

enum { OSW_ROWS_ROOM = 16 * OSW_BOX_BYTES }; /* bytes of a warp's room */

/* sum: as wgmma leaves it, for 64 columns.  Through shared memory, so that
 * rows are written in one piece.
 */
template <class T>
__device__ static inline void osw_rows_write(char *room, const float *sum,
                                             const struct osw_rows_to &to)
{
    int lane = (int)threadIdx.x % 32, row = lane / 4;

    __syncwarp(); /* the room has been read */
#pragma unroll
    for (int c = 0; c < 8; c++) {
        char *at = room + row * OSW_BOX_BYTES + (c ^ row) * 16 + lane % 4 * 4;

        *(uint32_t *)at = osw_pair<T>(sum[4 * c], sum[4 * c + 1]);
        *(uint32_t *)(at + 8 * OSW_BOX_BYTES) =
            osw_pair<T>(sum[4 * c + 2], sum[4 * c + 3]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int r = 4 * i + lane / 8, c = lane % 8;
        uint4 raw =
            *(const uint4 *)(room + r * OSW_BOX_BYTES + (c ^ r % 8) * 16);
        char *at = to.data + r * to.pitch + c * 16;
        const uint32_t word[4] = {raw.x, raw.y, raw.z, raw.w};
        int left = r < to.n_rows ? to.n_cols - 8 * c : 0;

        if (left >= 8 && to.packs) {
            *(uint4 *)at = raw;
            continue;
        }
#pragma unroll
        for (int e = 0; e < 8; e++)
            if (e < left)
                *(uint16_t *)(at + 2 * e) =
                    (uint16_t)(word[e / 2] >> 16 * (e % 2));
    }
}

/* --- host --- */

/* A tensor as the copy engine sees it: shape and strides from the innermost
 * dimension on, which is contiguous.
 */
struct osw_box_source {
    const void *data;
    int64_t shape[4];  /* elements; col, row, head, batch */
    int64_t stride[4]; /* elements; stride[0] is 1 */
};

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

/* Describe boxes of [rows, 64] 16-bit elements.  -1: the engine cannot read
 * this tensor. */
static inline int osw_box_map(CUtensorMap *map, struct osw_box_source s,
                              int rows)
{
    const cuuint32_t box[4] = {OSW_BOX_COLS, (cuuint32_t)rows, 1, 1};
    const cuuint32_t steps[4] = {1, 1, 1, 1};
    osw_encode_f encode = osw_box_encoder();
    cuuint64_t shape[4], stride[3];

    if (!encode || (uintptr_t)s.data % 16)
        return -1;
    for (int d = 0; d < 4; d++) {
        if (s.shape[d] < 1 || s.shape[d] > INT32_MAX)
            return -1;
        shape[d] = (cuuint64_t)s.shape[d];
        if (d > 0 && s.shape[d] == 1) /* its stride does not count */
            s.stride[d] = (s.shape[0] + 7) / 8 * 8;
        if (d > 0 && (s.stride[d] < s.shape[0] || s.stride[d] % 8))
            return -1;
        if (d > 0)
            stride[d - 1] = (cuuint64_t)s.stride[d] * 2;
    }
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, (void *)s.data, shape,
                  stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? 0
               : -1;
}

/* Is this a Hopper, and was the kernel compiled for it, with its `threads`?
 * Not for every call: keep the answer in a static variable.
 */
template <class... P>
static inline int osw_hopper_runs(void (*kernel)(P...), int threads,
                                  size_t shared_bytes)
{
    struct cudaFuncAttributes a;
    int device = 0, major = 0, minor = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                               device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                               device) != cudaSuccess ||
        major != 9 || minor != 0)
        return 0;
    if (cudaFuncGetAttributes(&a, kernel) != cudaSuccess ||
        a.maxThreadsPerBlock < threads) {
        cudaGetLastError(); /* not a failure of the call */
        return 0;
    }
    osw_launch_allow(kernel, shared_bytes);
    return 1;
}

#endif /* OSW_LIBRARY_HOPPER_CUH */

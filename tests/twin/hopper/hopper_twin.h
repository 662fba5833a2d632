/* tests/twin/hopper/hopper_twin.h - Hopper's tensor cores, tensor copies and
 * barriers on a processor, for tests
 *
 * It stands for ops/library/shared/hopper.cuh and wgmma.cuh.  A copy is there
 * at once, a multiplication done when it is asked for.  Addresses of operands
 * are taken out of descriptors as the PTX manual says.
 */
#ifndef TWIN_HOPPER_HOPPER_TWIN_H
#define TWIN_HOPPER_HOPPER_TWIN_H

#include "cuda_runtime.h"

#define OSW_LIBRARY_HOPPER_CUH
#define OSW_LIBRARY_WGMMA_CUH
#define OSW_HOPPER 1
#define OSW_HOPPER_BOUNDS(n)

enum { OSW_BOX_COLS = 64, OSW_BOX_BYTES = 128, OSW_WARPGROUP = 128 };

/* --- barriers: what a kernel has room for says which one it is --- */

typedef uint64_t osw_barrier;

struct twin_barrier {
    int arrivals, missing;
    int64_t bytes; /* that are expected, less those that came */
    uint32_t phase;
};

static twin_barrier twin_barriers[TWIN_BLOCKS]
                                 [TWIN_SHARED / sizeof(osw_barrier)];

static inline uint32_t osw_shared_at(const void *p)
{
    return (uint32_t)((const char *)p - twin_shared[twin_rank]);
}

/* The same barrier of a block of the cluster. */
static inline twin_barrier *twin_barrier_at(osw_barrier *b, unsigned rank)
{
    return &twin_barriers[rank][osw_shared_at(b) / sizeof(osw_barrier)];
}

static inline twin_barrier *twin_barrier_of(osw_barrier *b)
{
    return twin_barrier_at(b, twin_rank);
}

static inline void twin_barrier_step(twin_barrier *b)
{
    if (b->missing < 0)
        twin_die("more arrivals than a barrier has");
    if (b->missing > 0 || b->bytes != 0)
        return;
    b->phase++;
    b->missing = b->arrivals;
}

static inline void osw_barrier_init(osw_barrier *b, int arrivals)
{
    *twin_barrier_of(b) = {arrivals, arrivals, 0, 0};
}

static inline void osw_barrier_publish(void)
{
}

static inline void osw_barrier_arrive_at(osw_barrier *b, int block)
{
    twin_barrier *at = twin_barrier_at(b, (unsigned)block);

    at->missing--;
    twin_barrier_step(at);
}

static inline void osw_barrier_arrive(osw_barrier *b)
{
    osw_barrier_arrive_at(b, (int)twin_rank);
}

static inline void osw_barrier_expect(osw_barrier *b, uint32_t bytes)
{
    twin_barrier_of(b)->bytes += bytes;
    osw_barrier_arrive(b);
}

static inline void osw_barrier_wait(osw_barrier *b, uint32_t parity)
{
    while (twin_barrier_of(b)->phase % 2 == parity)
        twin_yield();
}

static inline int osw_cluster_rank(void)
{
    return (int)twin_rank;
}

static inline void osw_cluster_sync(void)
{
    twin_meet_cluster();
}

static inline void osw_named_sync(int id, int n)
{
    twin_meet(id, (unsigned)n);
}

template <int N> static inline void osw_registers_shrink(void)
{
}

template <int N> static inline void osw_registers_grow(void)
{
}

static inline float osw_exp2_quick(float v)
{
    return exp2f(v);
}

/* --- copies --- */

typedef int CUresult;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

enum { CUDA_SUCCESS, CU_TENSOR_MAP_DATA_TYPE_UINT16 };
enum { CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B };
enum { CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

struct alignas(64) CUtensorMap {
    const char *data;
    uint64_t shape[4], stride[3]; /* bytes */
    uint32_t rows;                /* of a box */
};

typedef CUresult (*osw_encode_f)(CUtensorMap *, int, int, void *,
                                 const cuuint64_t *, const cuuint64_t *,
                                 const cuuint32_t *, const cuuint32_t *, int,
                                 int, int, int);

static inline CUresult twin_encode(CUtensorMap *map, int, int, void *data,
                                   const cuuint64_t *shape,
                                   const cuuint64_t *stride,
                                   const cuuint32_t *box, const cuuint32_t *,
                                   int, int, int, int)
{
    map->data = (const char *)data;
    map->rows = box[1];
    memcpy(map->shape, shape, sizeof(map->shape));
    memcpy(map->stride, stride, sizeof(map->stride));
    return (uintptr_t)data % 16 || stride[0] % 16 || stride[1] % 16 ||
           stride[2] % 16 || box[1] > 256 || box[0] != OSW_BOX_COLS;
}

static inline osw_encode_f osw_box_encoder(void)
{
    return twin_encode;
}

template <class... P>
static inline int osw_hopper_runs(void (*)(P...), int, size_t, int *)
{
    return 1;
}

struct osw_box_at {
    int col, row, head, batch;
};

static inline uint16_t twin_element(const CUtensorMap *map, int64_t col,
                                    int64_t row, struct osw_box_at at)
{
    uint16_t v = 0;

    if (col < (int64_t)map->shape[0] && row < (int64_t)map->shape[1] &&
        at.head < (int64_t)map->shape[2] && at.batch < (int64_t)map->shape[3])
        memcpy(&v,
               map->data + col * 2 + row * (int64_t)map->stride[0] +
                   at.head * (int64_t)map->stride[1] +
                   at.batch * (int64_t)map->stride[2],
               sizeof(v));
    return v;
}

/* Chunks of 16 bytes change places by the row, which address bits 7 to 9 are.
 */
static inline uint32_t twin_swizzled(uint32_t at)
{
    return at ^ (at >> 7 & 7) << 4;
}

/* Into one block of the cluster. */
static inline void twin_box_copy(unsigned rank, void *to,
                                 const CUtensorMap *map, struct osw_box_at at,
                                 osw_barrier *full)
{
    uint32_t first = osw_shared_at(to);

    if (first % 1024)
        twin_die("a box that does not begin at a multiple of 1024 bytes");
    for (uint32_t r = 0; r < map->rows; r++)
        for (uint32_t c = 0; c < OSW_BOX_COLS; c++) {
            uint16_t v = twin_element(map, at.col + c, at.row + r, at);

            memcpy(twin_shared[rank] +
                       twin_swizzled(first + r * OSW_BOX_BYTES + c * 2),
                   &v, sizeof(v));
        }
    twin_barrier_at(full, rank)->bytes -= (int64_t)map->rows * OSW_BOX_BYTES;
    twin_barrier_step(twin_barrier_at(full, rank));
}

static inline void osw_box_copy(void *to, const CUtensorMap *map,
                                struct osw_box_at at, osw_barrier *full)
{
    twin_box_copy(twin_rank, to, map, at, full);
}

static inline void osw_box_multicast(void *to, const CUtensorMap *map,
                                     struct osw_box_at at, osw_barrier *full,
                                     uint16_t mask)
{
    for (unsigned rank = 0; rank < twin_blocks; rank++)
        if (mask >> rank & 1)
            twin_box_copy(rank, to, map, at, full);
}

/* --- multiplications --- */

static inline uint64_t osw_wgmma_operand(const void *box, uint32_t next)
{
    return (uint64_t)(osw_shared_at(box) >> 4) | (uint64_t)(next >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

template <bool BY_K> static inline uint64_t osw_wgmma_step(int i)
{
    return (uint64_t)(i * (BY_K ? 32 : 2048) >> 4);
}

/* Element (line, k) of an operand. */
template <class T>
static float twin_operand(uint64_t descriptor, int line, int k, bool by_k)
{
    uint32_t at = (descriptor & 0x3fff) << 4;
    uint32_t leading = (descriptor >> 16 & 0x3fff) << 4;
    uint32_t stride = (descriptor >> 32 & 0x3fff) << 4;
    T v;

    at += by_k ? line / 8 * stride + line % 8 * 128 + k * 2
               : line / 64 * leading + line % 64 * 2 + k / 8 * stride +
                     k % 8 * 128;
    memcpy(&v, twin_shared[twin_rank] + twin_swizzled(at), sizeof(v));
    return osw_pack_float(v);
}

static inline void osw_wgmma_begin(void)
{
}

static inline void osw_wgmma_commit(void)
{
}

template <int N> static inline void osw_wgmma_wait(void)
{
}

template <int N> static inline void osw_wgmma_hold(float (&)[N])
{
}

/* The sums of a thread: a [2 rows, 16] @ b.  Its warpgroup reads b together. */
template <class T, int W>
static void twin_multiply(float (&d)[W], const float (&a)[2][16], uint64_t b,
                          bool b_by_k)
{
    static float of_group[TWIN_BLOCKS][TWIN_THREADS / OSW_WARPGROUP][2 * W][16];
    int group = (int)threadIdx.x / OSW_WARPGROUP;
    auto &panel = of_group[twin_rank][group];

    for (int i = (int)threadIdx.x % OSW_WARPGROUP; i < 32 * W;
         i += OSW_WARPGROUP)
        panel[i / 16][i % 16] = twin_operand<T>(b, i / 16, i % 16, b_by_k);
    twin_meet(TWIN_OF_WARPGROUP + group, OSW_WARPGROUP);
    for (int x = 0; x < W; x++) {
        const float *column = panel[x / 4 * 8 + threadIdx.x % 4 * 2 + x % 2];

        for (int k = 0; k < 16; k++)
            d[x] += a[x / 2 % 2][k] * column[k];
    }
    twin_meet(TWIN_OF_WARPGROUP + group, OSW_WARPGROUP);
}

template <class T, bool A_BY_K, bool B_BY_K, int W>
static void osw_wgmma(float (&d)[W], uint64_t a, uint64_t b, int add)
{
    int t = (int)threadIdx.x % OSW_WARPGROUP, row = t / 32 * 16 + t % 32 / 4;
    float mine[2][16];

    for (int k = 0; k < 16; k++) {
        mine[0][k] = twin_operand<T>(a, row, k, A_BY_K);
        mine[1][k] = twin_operand<T>(a, row + 8, k, A_BY_K);
    }
    for (int x = 0; x < W; x++)
        d[x] = add ? d[x] : 0.0f;
    twin_multiply<T>(d, mine, b, B_BY_K);
}

/* a: of a row, four neighbours have four of each eight k. */
template <class T, bool B_BY_K, int W>
static void osw_wgmma_words(float (&d)[W], const uint32_t *a, uint64_t b)
{
    static uint32_t of_block[TWIN_BLOCKS][TWIN_THREADS][4];
    auto &words = of_block[twin_rank];
    float mine[2][16];

    memcpy(words[threadIdx.x], a, sizeof(words[0]));
    __syncwarp();
    for (int k = 0; k < 16; k++)
        for (int row = 0; row < 2; row++) {
            uint32_t word =
                words[threadIdx.x / 4 * 4 + k % 8 / 2][k / 8 * 2 + row];
            uint16_t bits = (uint16_t)(word >> k % 2 * 16);
            T v;

            memcpy(&v, &bits, sizeof(v));
            mine[row][k] = osw_pack_float(v);
        }
    __syncwarp();
    twin_multiply<T>(d, mine, b, B_BY_K);
}

#endif /* TWIN_HOPPER_HOPPER_TWIN_H */

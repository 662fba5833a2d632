/* shared/hopper_tiles.cuh - what kernels for Hopper's tensor cores share: a
 * ring of stages, maps of tensors for the copy engine, and how results are
 * written
 */
#ifndef OSW_LIBRARY_HOPPER_TILES_CUH
#define OSW_LIBRARY_HOPPER_TILES_CUH

#include "hopper.cuh"
#include "pack.cuh"

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

#endif /* OSW_LIBRARY_HOPPER_TILES_CUH */

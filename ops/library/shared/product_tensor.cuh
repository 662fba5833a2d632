/* shared/product_tensor.cuh - the product of 16-bit matrices on tensor
 * cores, summed in float
 *
 * A block of four warps makes a tile of out, [TILE, TILE], a warp a quarter of
 * it.  Panels of a and b go through shared memory, STAGES deep, in the order
 * that they lie in memory: [TILE, K] where k is contiguous, [K, TILE] where it
 * is not.  ldmatrix turns either into fragments.  Rows in shared memory are
 * padded by 16 bytes, so that eight of them lie in different banks.  Operands
 * whose rows are not aligned to 16 bytes, or that are contiguous nowhere, are
 * read element by element.
 */
#ifndef OSW_LIBRARY_PRODUCT_TENSOR_CUH
#define OSW_LIBRARY_PRODUCT_TENSOR_CUH

#include "product.cuh"
#include "tensor_core.cuh"

enum {
    OSW_MMA_K = 32, /* of a panel */
    OSW_MMA_STAGES = 4,
    OSW_MMA_THREADS = 128,
    OSW_MMA_PAD = 8,
    OSW_MMA_PACK = 8, /* 16-bit elements in 16 bytes */
};

/* One operand: lines along the tile's side (rows of a, columns of b). */
struct osw_mma_side {
    const char *data; /* of the batch */
    int64_t line;     /* strides in elements: from line to line, */
    int64_t k;        /* and along k */
    int64_t n_lines, first;
    int packs; /* whole packs can be copied */
};

/* BY_K: k is contiguous.  Panels are [OUTER, INNER + PAD]. */
template <int TILE, bool BY_K> struct osw_mma_panel {
    enum {
        OUTER = BY_K ? TILE : (int)OSW_MMA_K,
        INNER = BY_K ? (int)OSW_MMA_K : TILE,
        PITCH = INNER + OSW_MMA_PAD,
        ELEMENTS = OUTER * PITCH,
        PACKS = OUTER * INNER / OSW_MMA_PACK,
    };
};

/* Elements that there are of eight from (outer, inner) on. */
__device__ static inline int osw_mma_valid(int outer, int inner,
                                           int64_t n_outer, int64_t n_inner)
{
    int64_t left = outer < n_outer ? n_inner - inner : 0;

    return (int)(left < 0 ? 0 : left > OSW_MMA_PACK ? OSW_MMA_PACK : left);
}

/* Fill a panel element by element. */
template <int TILE, bool BY_K>
__device__ static __noinline__ void
osw_mma_load_plain(const uint16_t *from, int64_t outer_step, int64_t inner_step,
                   int64_t n_outer, int64_t n_inner, uint16_t *panel)
{
    typedef osw_mma_panel<TILE, BY_K> P;

#pragma unroll 1
    for (int x = (int)threadIdx.x; x < P::PACKS; x += OSW_MMA_THREADS) {
        int outer = x / (P::INNER / OSW_MMA_PACK);
        int inner = x % (P::INNER / OSW_MMA_PACK) * OSW_MMA_PACK;
        int valid = osw_mma_valid(outer, inner, n_outer, n_inner);
        const uint16_t *p = from + outer * outer_step + inner * inner_step;
        uint16_t e[OSW_MMA_PACK];

#pragma unroll
        for (int i = 0; i < OSW_MMA_PACK; i++)
            e[i] = i < valid ? p[i * inner_step] : (uint16_t)0;
#pragma unroll
        for (int i = 0; i < OSW_MMA_PACK; i++)
            panel[outer * P::PITCH + inner + i] = e[i];
    }
}

/* Start filling a panel with k from k0 on, up to k_end. */
template <int TILE, bool BY_K>
__device__ static inline void osw_mma_load(const struct osw_mma_side &s,
                                           int64_t k0, int64_t k_end,
                                           uint16_t *panel)
{
    typedef osw_mma_panel<TILE, BY_K> P;
    int64_t lines = s.n_lines - s.first;
    int64_t outer_step = BY_K ? s.line : s.k, inner_step = BY_K ? s.k : s.line;
    int64_t n_outer = BY_K ? lines : k_end - k0;
    int64_t n_inner = BY_K ? k_end - k0 : lines;
    const uint16_t *from =
        (const uint16_t *)s.data + s.first * s.line + k0 * s.k;

    if (!s.packs) {
        osw_mma_load_plain<TILE, BY_K>(from, outer_step, inner_step, n_outer,
                                       n_inner, panel);
        return;
    }
#pragma unroll
    for (int c = 0; c < P::PACKS / OSW_MMA_THREADS; c++) {
        int x = c * OSW_MMA_THREADS + (int)threadIdx.x;
        int outer = x / (P::INNER / OSW_MMA_PACK);
        int inner = x % (P::INNER / OSW_MMA_PACK) * OSW_MMA_PACK;
        int valid = osw_mma_valid(outer, inner, n_outer, n_inner);
        const uint16_t *p = from + outer * outer_step + inner;

        osw_async_copy16(panel + outer * P::PITCH + inner,
                         valid ? p : (const uint16_t *)s.data, 2 * valid);
    }
}

/* The fragment of 16 lines from `line` and 16 k from `k`.  of a: r[0] lines
 * 0-7, r[1] lines 8-15, both k 0-7; then k 8-15.
 */
template <int TILE, bool BY_K>
__device__ static inline void
osw_mma_fragment_a(const uint16_t *panel, int line, int k, uint32_t (&r)[4])
{
    typedef osw_mma_panel<TILE, BY_K> P;
    int lane = (int)threadIdx.x % 32;
    int l = line + (BY_K ? lane % 16 : lane / 8 % 2 * 8);
    int kk = k + (BY_K ? lane / 16 * 8 : lane % 8 + lane / 16 * 8);

    osw_load_fragment<!BY_K>(
        r, panel + (BY_K ? l * P::PITCH + kk : kk * P::PITCH + l));
}

/* Of b: r[0] k 0-7, r[1] k 8-15, both lines 0-7; then lines 8-15. */
template <int TILE, bool BY_K>
__device__ static inline void
osw_mma_fragment_b(const uint16_t *panel, int line, int k, uint32_t (&r)[4])
{
    typedef osw_mma_panel<TILE, BY_K> P;
    int lane = (int)threadIdx.x % 32;
    int l = line + (BY_K ? lane % 8 + lane / 16 * 8 : lane / 16 * 8);
    int kk = k + (BY_K ? lane / 8 % 2 * 8 : lane % 16);

    osw_load_fragment<!BY_K>(
        r, panel + (BY_K ? l * P::PITCH + kk : kk * P::PITCH + l));
}

/* Multiply the panels of one stage into a warp's sums. */
template <class T, int TILE, bool A_BY_K, bool B_BY_K>
__device__ static inline void
osw_mma_panels(const uint16_t *a, const uint16_t *b, int i0, int j0,
               float (&sum)[TILE / 32][TILE / 16][4])
{
#pragma unroll
    for (int k = 0; k < OSW_MMA_K; k += 16) {
        uint32_t fa[TILE / 32][4], fb[TILE / 32][4];

#pragma unroll
        for (int i = 0; i < TILE / 32; i++) {
            osw_mma_fragment_a<TILE, A_BY_K>(a, i0 + 16 * i, k, fa[i]);
            osw_mma_fragment_b<TILE, B_BY_K>(b, j0 + 16 * i, k, fb[i]);
        }
#pragma unroll
        for (int i = 0; i < TILE / 32; i++)
#pragma unroll
            for (int j = 0; j < TILE / 16; j++)
                osw_mma<T>(sum[i][j], fa[i], fb[j / 2][j % 2 * 2],
                           fb[j / 2][j % 2 * 2 + 1]);
    }
}

/* The sums of the block, through shared memory, so that rows are written in
 * one piece.
 */
template <class T, int TILE>
__device__ static inline void
osw_mma_write(const struct osw_product_view &v, int64_t batch,
              struct osw_tile_at at, int wi, int wj, float *tile,
              const float (&sum)[TILE / 32][TILE / 16][4])
{
    enum { PITCH = TILE + OSW_MMA_PAD };
    int lane = (int)threadIdx.x % 32;

    osw_async_wait<0>();
    __syncthreads(); /* the panels are no longer needed */
#pragma unroll
    for (int i = 0; i < TILE / 32; i++)
#pragma unroll
        for (int j = 0; j < TILE / 16; j++) {
            float *to = tile + (wi + 16 * i + lane / 4) * PITCH + wj + 8 * j +
                        lane % 4 * 2;

            to[0] = sum[i][j][0];
            to[1] = sum[i][j][1];
            to[8 * PITCH] = sum[i][j][2];
            to[8 * PITCH + 1] = sum[i][j][3];
        }
    __syncthreads();
#pragma unroll 4
    for (int x = (int)threadIdx.x; x < TILE * TILE / 2; x += OSW_MMA_THREADS) {
        int i = x / (TILE / 2), j = x % (TILE / 2) * 2;
        const float *from = tile + i * PITCH + j;

        osw_product_put2<T>(v, batch, (int)blockIdx.z, at.i + i, at.j + j,
                            from[0], from[1]);
    }
}

static inline __device__ struct osw_mma_side
osw_mma_side_of(const struct osw_operand &o, int64_t batch, int64_t line,
                int64_t k, int64_t n_lines, int64_t first, int packs)
{
    struct osw_mma_side s;

    s.data = o.data + batch * o.batch * 2;
    s.line = line;
    s.k = k;
    s.n_lines = n_lines;
    s.first = first;
    s.packs = packs;
    return s;
}

template <class T, int TILE, bool A_BY_K, bool B_BY_K>
__global__ void __launch_bounds__(OSW_MMA_THREADS, 2)
    osw_mma_kernel(struct osw_product_view v)
{
    enum {
        A_ELEMENTS = osw_mma_panel<TILE, A_BY_K>::ELEMENTS,
        B_ELEMENTS = osw_mma_panel<TILE, B_BY_K>::ELEMENTS,
        STAGE = A_ELEMENTS + B_ELEMENTS,
    };
    uint16_t *shared = (uint16_t *)osw_shared();
    struct osw_tile_at at = osw_tile_number(blockIdx.x, v.m, v.n, TILE, TILE);
    int64_t batch = v.first_batch + blockIdx.y;
    int64_t k0 = blockIdx.z * v.k_part;
    int64_t k_end = k0 + v.k_part < v.k ? k0 + v.k_part : v.k;
    int n_steps = (int)((k_end - k0 + OSW_MMA_K - 1) / OSW_MMA_K);
    int warp = (int)threadIdx.x / 32;
    int wi = warp / 2 * (TILE / 2), wj = warp % 2 * (TILE / 2);
    struct osw_mma_side a =
        osw_mma_side_of(v.a, batch, v.a.row, v.a.col, v.m, at.i, v.a_packs);
    struct osw_mma_side b =
        osw_mma_side_of(v.b, batch, v.b.col, v.b.row, v.n, at.j, v.b_packs);
    float sum[TILE / 32][TILE / 16][4] = {};

    for (int s = 1 - OSW_MMA_STAGES; s < n_steps; s++) {
        int next = s + OSW_MMA_STAGES - 1;
        uint16_t *to = shared + next % OSW_MMA_STAGES * STAGE;
        const uint16_t *stage = shared + s % OSW_MMA_STAGES * STAGE;

        if (s >= 0) {
            osw_async_wait<OSW_MMA_STAGES - 2>();
            __syncthreads(); /* stage s is there, and s - 1 is free */
        }
        if (next < n_steps) {
            osw_mma_load<TILE, A_BY_K>(a, k0 + next * OSW_MMA_K, k_end, to);
            osw_mma_load<TILE, B_BY_K>(b, k0 + next * OSW_MMA_K, k_end,
                                       to + A_ELEMENTS);
        }
        osw_async_commit();
        if (s >= 0)
            osw_mma_panels<T, TILE, A_BY_K, B_BY_K>(stage, stage + A_ELEMENTS,
                                                    wi, wj, sum);
    }
    osw_mma_write<T, TILE>(v, batch, at, wi, wj, (float *)shared, sum);
}

/* --- host --- */

template <class T, int TILE, bool A_BY_K, bool B_BY_K>
static inline int osw_mma_launch(const osw_call *call,
                                 const struct osw_product_view &v)
{
    static osw_per_device<size_t> allowed;
    size_t panels = sizeof(uint16_t) * OSW_MMA_STAGES *
                    (osw_mma_panel<TILE, A_BY_K>::ELEMENTS +
                     osw_mma_panel<TILE, B_BY_K>::ELEMENTS);
    size_t tile = sizeof(float) * TILE * (TILE + OSW_MMA_PAD);
    size_t bytes = panels > tile ? panels : tile;

    osw_launch_allow(osw_mma_kernel<T, TILE, A_BY_K, B_BY_K>, bytes,
                     &allowed.here());
    return osw_product_launch(call, osw_mma_kernel<T, TILE, A_BY_K, B_BY_K>, v,
                              TILE, OSW_MMA_THREADS, bytes);
}

template <class T, int TILE>
static inline int osw_mma_order(const osw_call *call,
                                const struct osw_product_view &v, int a_by_k,
                                int b_by_k)
{
    if (a_by_k)
        return b_by_k ? osw_mma_launch<T, TILE, true, true>(call, v)
                      : osw_mma_launch<T, TILE, true, false>(call, v);
    return b_by_k ? osw_mma_launch<T, TILE, false, true>(call, v)
                  : osw_mma_launch<T, TILE, false, false>(call, v);
}

/* line: the stride that is not 1 where packs are wanted. */
static inline int osw_mma_packs(const struct osw_operand *o, int64_t inner,
                                int64_t line)
{
    return inner == 1 && osw_chunk_aligned(o->data, line, 2) &&
           o->batch * 2 % 16 == 0;
}

template <class T>
static inline int osw_product_tensor(const osw_call *call,
                                     const struct osw_product *p)
{
    struct osw_product_view v = osw_product_view_of(p);
    int a_by_k = v.a.col == 1 || v.a.row != 1;
    int b_by_k = v.b.row == 1 || v.b.col != 1;
    int tile = osw_product_is_big(&v) ? 128 : 64;
    int rc;

    v.a_packs = a_by_k ? osw_mma_packs(&v.a, v.a.col, v.a.row)
                       : osw_mma_packs(&v.a, v.a.row, v.a.col);
    v.b_packs = b_by_k ? osw_mma_packs(&v.b, v.b.row, v.b.col)
                       : osw_mma_packs(&v.b, v.b.col, v.b.row);
    if (osw_product_split(call, &v, tile))
        return OSW_ERROR;
    rc = tile == 128 ? osw_mma_order<T, 128>(call, v, a_by_k, b_by_k)
                     : osw_mma_order<T, 64>(call, v, a_by_k, b_by_k);
    return rc ? rc : osw_product_join_parts<T>(call, v);
}

#endif /* OSW_LIBRARY_PRODUCT_TENSOR_CUH */

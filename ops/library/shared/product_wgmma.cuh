/* shared/product_wgmma.cuh - the product of 16-bit matrices on Hopper's tensor
 * cores, summed in float
 *
 * A block makes tiles of out, [128, N], one after the other: a warp asks the
 * copy engine for panels of 64 of k, two warpgroups multiply them, [64, N]
 * each.  Panels wait in a ring of stages, so that copies for the next tile run
 * while results of this one are written.  Where N is 256, two blocks of a
 * cluster make tiles one above the other: each fetches half of b's panel for
 * both.
 *
 * a and b are read as they lie, by rows or by columns, if lines begin at
 * multiples of 16 bytes; what hangs over an edge is read as zeros.
 */
#ifndef OSW_LIBRARY_PRODUCT_WGMMA_CUH
#define OSW_LIBRARY_PRODUCT_WGMMA_CUH

#include "hopper_tiles.cuh"
#include "product.cuh"
#include "wgmma.cuh"

enum {
    OSW_GMMA_M = 128, /* rows of a block's tile */
    OSW_GMMA_THREADS = 3 * OSW_WARPGROUP,
    OSW_GMMA_SHARED = 192 * 1024, /* bytes of all stages */
};

/* A kernel: its type, the columns of a tile, how a and b lie, and whether it
 * does more than multiply.
 */
template <class TYPE, int COLS, bool A_LIES_BY_K, bool B_LIES_BY_K,
          bool DOES_ADD>
struct osw_gmma_kind {
    typedef TYPE T;
    enum {
        N = COLS,
        BLOCKS = COLS / 128,            /* of a cluster */
        A = OSW_GMMA_M * OSW_BOX_BYTES, /* bytes of a stage */
        B = N * OSW_BOX_BYTES,
        STAGES = OSW_GMMA_SHARED / (A + B),
        ROWS = STAGES * (A + B), /* where rooms for results begin */
        BARRIERS = ROWS + 8 * OSW_ROWS_ROOM,
        SHARED = BARRIERS + 2 * STAGES * (int)sizeof(osw_barrier) + 1024,
    };
    static const bool A_BY_K = A_LIES_BY_K;
    static const bool B_BY_K = B_LIES_BY_K;
    static const bool ADDS = DOES_ADD;
};

/* Tiles of a cluster, [128 * blocks, cols]. */
OSW_HD static inline int64_t osw_gmma_count(int64_t m, int64_t n, int blocks,
                                            int cols)
{
    int64_t rows = (int64_t)OSW_GMMA_M * blocks;

    return (m + rows - 1) / rows * ((n + cols - 1) / cols);
}

#if OSW_HOPPER

/* The tiles that a cluster makes: numbers from `first` on by steps. */
struct osw_gmma_tiles {
    int64_t first, step, per_batch, n;
};

template <class K>
__device__ static inline struct osw_gmma_tiles
osw_gmma_tiles_of(const struct osw_product_view &v)
{
    struct osw_gmma_tiles t;

    t.first = blockIdx.x / K::BLOCKS;
    t.step = gridDim.x / K::BLOCKS;
    t.per_batch = osw_gmma_count(v.m, v.n, K::BLOCKS, K::N);
    t.n = t.per_batch * v.n_batch;
    return t;
}

/* The tile of this block. */
template <class K>
__device__ static inline struct osw_tile_at
osw_gmma_tile(const struct osw_product_view &v, int64_t number)
{
    struct osw_tile_at at =
        osw_tile_number(number, v.m, v.n, OSW_GMMA_M * K::BLOCKS, K::N);

    if (K::BLOCKS > 1)
        at.i += OSW_GMMA_M * osw_cluster_rank();
    return at;
}

/* LINES lines of a side from `line` on, 64 of k, for BLOCKS blocks. */
template <bool BY_K, int LINES, int BLOCKS>
__device__ static inline void osw_gmma_copy(char *to, const CUtensorMap *map,
                                            int line, int k, int batch,
                                            osw_barrier *full)
{
    enum { BOXES = BY_K ? 1 : LINES / OSW_BOX_COLS };

#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        int next = line + i * OSW_BOX_COLS;
        struct osw_box_at at = {BY_K ? k : next, BY_K ? line : k, batch, 0};
        char *box = to + i * OSW_BOX_COLS * OSW_BOX_BYTES;

        if (BLOCKS == 1)
            osw_box_copy(box, map, at, full);
        else
            osw_box_multicast(box, map, at, full, (1 << BLOCKS) - 1);
    }
}

template <class K>
__device__ static inline void
osw_gmma_produce(char *shared, struct osw_ring ring, const CUtensorMap *a,
                 const CUtensorMap *b, const struct osw_product_view &v)
{
    enum { LINES = K::N / K::BLOCKS };
    struct osw_gmma_tiles tiles = osw_gmma_tiles_of<K>(v);
    int share = K::BLOCKS > 1 ? osw_cluster_rank() * LINES : 0;

    for (int64_t t = tiles.first; t < tiles.n; t += tiles.step) {
        struct osw_tile_at at = osw_gmma_tile<K>(v, t % tiles.per_batch);
        int batch = (int)(t / tiles.per_batch);

#pragma unroll 1
        for (int k = 0; k < v.k; k += OSW_BOX_COLS) {
            char *to = shared + ring.stage * (K::A + K::B);
            osw_barrier *full = osw_ring_claim(&ring, K::A + K::B);

            osw_gmma_copy<K::A_BY_K, OSW_GMMA_M, 1>(to, a, (int)at.i, k, batch,
                                                    full);
            osw_gmma_copy<K::B_BY_K, LINES, K::BLOCKS>(
                to + K::A + share * OSW_BOX_BYTES, b, (int)at.j + share, k,
                batch, full);
            osw_ring_next(&ring);
        }
    }
}

/* This warp no longer reads the stage; the copies of each block wait for it. */
template <int BLOCKS>
__device__ static inline void osw_gmma_release(const struct osw_ring *r,
                                               int stage)
{
    int lane = (int)threadIdx.x % 32;

    if (BLOCKS == 1 && lane == 0)
        osw_barrier_arrive(r->empty + stage);
    if (BLOCKS > 1 && lane < BLOCKS)
        osw_barrier_arrive_at(r->empty + stage, lane);
}

/* The sums of one tile; one step's multiplications run while the next one's
 * panels are waited for.
 */
template <class K>
__device__ static inline void osw_gmma_sum(char *shared, struct osw_ring *ring,
                                           int group, int n_steps,
                                           float (&sum)[K::N / 2])
{
    int before = 0;

#pragma unroll
    for (int i = 0; i < K::N / 2; i++)
        sum[i] = 0.0f;
#pragma unroll 1
    for (int s = 0; s < n_steps; s++) {
        char *at = shared + ring->stage * (K::A + K::B);
        uint64_t a = osw_wgmma_operand(at + group * 64 * OSW_BOX_BYTES,
                                       64 * OSW_BOX_BYTES);
        uint64_t b = osw_wgmma_operand(at + K::A, 64 * OSW_BOX_BYTES);

        osw_ring_await(ring);
        osw_wgmma_hold(sum);
        osw_wgmma_begin();
#pragma unroll
        for (int i = 0; i < OSW_BOX_COLS / 16; i++)
            osw_wgmma<typename K::T, K::A_BY_K, K::B_BY_K>(
                sum, a + osw_wgmma_step<K::A_BY_K>(i),
                b + osw_wgmma_step<K::B_BY_K>(i), 1);
        osw_wgmma_commit();
        osw_wgmma_hold(sum);
        osw_wgmma_wait<1>();
        if (s > 0)
            osw_gmma_release<K::BLOCKS>(ring, before);
        before = ring->stage;
        osw_ring_next(ring);
    }
    osw_wgmma_wait<0>();
    osw_wgmma_hold(sum);
    osw_gmma_release<K::BLOCKS>(ring, before);
}

/* alpha * sum + beta * plus, of the warp's rows from i on, columns from j on */
template <class T, int WORDS>
__device__ static inline void osw_gmma_add(const struct osw_product_view &v,
                                           int64_t i, int64_t j,
                                           float (&sum)[WORDS])
{
    int64_t row = i + threadIdx.x % 32 / 4, col = j + threadIdx.x % 4 * 2;
    float alpha = (float)v.alpha, beta = (float)v.beta;

#pragma unroll
    for (int x = 0; x < WORDS; x++)
        sum[x] *= alpha;
    if (!v.plus.data)
        return;
#pragma unroll
    for (int x = 0; x < WORDS; x++) {
        int64_t r = row + x / 2 % 2 * 8, c = col + x / 4 * 8 + x % 2;
        const T *at = (const T *)v.plus.data + r * v.plus.row + c * v.plus.col;

        if (r < v.m && c < v.n)
            sum[x] += beta * osw_pack_float(*at);
    }
}

template <class K>
__device__ static inline void
osw_gmma_write(const struct osw_product_view &v, char *room, int64_t batch,
               int64_t i, int64_t j, float (&sum)[K::N / 2])
{
    enum { BYTES = 2 };
    struct osw_rows_to to;

    if (K::ADDS)
        osw_gmma_add<typename K::T>(v, i, j, sum);
    to.pitch = v.n * BYTES;
    to.packs = v.n % 8 == 0 && (uintptr_t)v.out % 16 == 0;
    to.n_rows = (int)(v.m - i < 16 ? v.m - i : 16);
#pragma unroll
    for (int c = 0; c < K::N / OSW_BOX_COLS; c++) {
        int64_t at = j + c * OSW_BOX_COLS;

        to.data = v.out + ((batch * v.m + i) * v.n + at) * BYTES;
        to.n_cols = (int)(v.n - at < OSW_BOX_COLS ? v.n - at : OSW_BOX_COLS);
        osw_rows_write<typename K::T>(room, sum + c * 32, to);
    }
}

template <class K>
__device__ static inline void osw_gmma_consume(char *shared,
                                               struct osw_ring ring, int group,
                                               const struct osw_product_view &v)
{
    struct osw_gmma_tiles tiles = osw_gmma_tiles_of<K>(v);
    int warp = (int)threadIdx.x / 32 % 4;
    char *room = shared + K::ROWS + (group * 4 + warp) * OSW_ROWS_ROOM;
    int n_steps = (int)((v.k + OSW_BOX_COLS - 1) / OSW_BOX_COLS);

    for (int64_t t = tiles.first; t < tiles.n; t += tiles.step) {
        struct osw_tile_at at = osw_gmma_tile<K>(v, t % tiles.per_batch);
        float sum[K::N / 2];

        osw_gmma_sum<K>(shared, &ring, group, n_steps, sum);
        osw_gmma_write<K>(v, room, t / tiles.per_batch,
                          at.i + group * 64 + warp * 16, at.j, sum);
    }
}

#endif /* OSW_HOPPER */

template <class K>
__global__ void OSW_HOPPER_BOUNDS(OSW_GMMA_THREADS)
    osw_gmma_kernel(const __grid_constant__ CUtensorMap a,
                    const __grid_constant__ CUtensorMap b,
                    const __grid_constant__ struct osw_product_view v)
{
#if OSW_HOPPER
    char *shared = osw_shared() + (1024 - osw_shared_at(osw_shared()) % 1024);
    struct osw_ring ring =
        osw_ring_at((osw_barrier *)(shared + K::BARRIERS), K::STAGES);
    int group = (int)threadIdx.x / OSW_WARPGROUP;

    if (threadIdx.x == 0) {
        for (int i = 0; i < K::STAGES; i++) {
            osw_barrier_init(ring.full + i, 1);
            osw_barrier_init(ring.empty + i, 8 * K::BLOCKS); /* warps */
        }
        osw_barrier_publish();
    }
    osw_cluster_sync();
    if (group == 0) {
        osw_registers_shrink<40>();
        if (threadIdx.x == 0)
            osw_gmma_produce<K>(shared, ring, &a, &b, v);
        __syncwarp();
    } else {
        osw_registers_grow<232>();
        osw_gmma_consume<K>(shared, ring, group - 1, v);
    }
    osw_cluster_sync(); /* none ends before what others send it */
#endif
}

/* --- host --- */

/* line: the stride that is not 1. */
static inline int osw_gmma_map(CUtensorMap *map, const struct osw_operand *o,
                               const struct osw_product_view *v, int by_k,
                               int64_t n_lines, int64_t line, int box_lines)
{
    struct osw_box_source s = {
        o->data,
        {by_k ? v->k : n_lines, by_k ? n_lines : v->k, v->n_batch, 1},
        {1, line, o->batch, 0}};

    return osw_box_map(map, s, by_k ? box_lines : OSW_BOX_COLS);
}

template <class K>
static inline int osw_gmma_launch(const osw_call *call,
                                  const struct osw_product_view &v)
{
    static osw_per_device<int> runs;
    int64_t tiles = osw_gmma_count(v.m, v.n, K::BLOCKS, K::N) * v.n_batch;
    int64_t clusters = (osw_sm_count() + K::BLOCKS - 1) / K::BLOCKS;
    CUtensorMap a, b;

    if (!osw_hopper_runs(osw_gmma_kernel<K>, OSW_GMMA_THREADS, K::SHARED,
                         &runs.here()) ||
        osw_gmma_map(&a, &v.a, &v, K::A_BY_K, v.m,
                     K::A_BY_K ? v.a.row : v.a.col, OSW_GMMA_M) ||
        osw_gmma_map(&b, &v.b, &v, K::B_BY_K, v.n,
                     K::B_BY_K ? v.b.col : v.b.row, K::N / K::BLOCKS))
        return OSW_UNSUPPORTED;
    clusters = clusters < tiles ? clusters : tiles;
    return osw_launch_clusters(call, osw_gmma_kernel<K>, K::BLOCKS,
                               dim3((unsigned)(clusters * K::BLOCKS)),
                               dim3(OSW_GMMA_THREADS), K::SHARED, a, b, v);
}

template <class T, int N, bool ADDS>
static inline int osw_gmma_order(const osw_call *call,
                                 const struct osw_product_view &v, int a_by_k,
                                 int b_by_k)
{
    typedef osw_gmma_kind<T, N, true, true, ADDS> both;
    typedef osw_gmma_kind<T, N, true, false, ADDS> only_a;
    typedef osw_gmma_kind<T, N, false, true, ADDS> only_b;
    typedef osw_gmma_kind<T, N, false, false, ADDS> neither;

    if (a_by_k)
        return b_by_k ? osw_gmma_launch<both>(call, v)
                      : osw_gmma_launch<only_a>(call, v);
    return b_by_k ? osw_gmma_launch<only_b>(call, v)
                  : osw_gmma_launch<neither>(call, v);
}

/* Rounds that all multiprocessors need, times the columns of a tile. */
static inline int64_t osw_gmma_cost(const struct osw_product_view &v, int cols)
{
    int blocks = cols / 128;
    int64_t tiles = osw_gmma_count(v.m, v.n, blocks, cols) * v.n_batch;
    int64_t clusters = (osw_sm_count() + blocks - 1) / blocks;

    return (tiles + clusters - 1) / clusters * cols;
}

/* A side whose lines are contiguous along k, or else across. */
static inline int osw_gmma_by_k(int64_t along, int64_t across, int64_t k,
                                int *by_k)
{
    *by_k = along == 1 || k == 1;
    return *by_k || across == 1 ? 0 : -1;
}

/* Tiles of 256 columns are faster by a quarter where both fill the device. */
template <class T, bool ADDS>
static inline int osw_gmma_of(const osw_call *call,
                              const struct osw_product_view &v)
{
    int a_by_k, b_by_k;

    if (osw_gmma_by_k(v.a.col, v.a.row, v.k, &a_by_k) ||
        osw_gmma_by_k(v.b.row, v.b.col, v.k, &b_by_k))
        return OSW_UNSUPPORTED;
    if (osw_gmma_cost(v, 256) * 4 <= osw_gmma_cost(v, 128) * 5)
        return osw_gmma_order<T, 256, ADDS>(call, v, a_by_k, b_by_k);
    return osw_gmma_order<T, 128, ADDS>(call, v, a_by_k, b_by_k);
}

/* ADDS: alpha and an addend are possible. */
template <bool ADDS>
static inline int osw_product_wgmma(const osw_call *call,
                                    const struct osw_product *p)
{
    osw_dtype t = p->out->dtype;
    struct osw_product_view v;

    if (t.bits != 16)
        return OSW_UNSUPPORTED;
    if (osw_numel(p->out) == 0)
        return 0;
    if (p->k == 0 || p->m > INT32_MAX || p->n > INT32_MAX || p->k > INT32_MAX)
        return OSW_UNSUPPORTED;
    v = osw_product_view_of(p);
    return t.code == OSW_BFLOAT ? osw_gmma_of<osw_bf16, ADDS>(call, v)
                                : osw_gmma_of<osw_f16, ADDS>(call, v);
}

#endif /* OSW_LIBRARY_PRODUCT_WGMMA_CUH */

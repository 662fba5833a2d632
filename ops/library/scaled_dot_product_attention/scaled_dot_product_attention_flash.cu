/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_flash.cu
 * - attention in one pass on Hopper's tensor cores: scores never leave
 * registers
 *
 * A block has 128 queries of a head, and sees the keys 128 at a time.  A warp
 * asks the copy engine for keys and values, in the order that they are used.
 * Two warpgroups have 64 queries each.  While scores of the next keys are
 * multiplied, and the values of the last ones, a warpgroup turns the scores
 * between them into weights: exp2(score - largest so far).  Where the largest
 * grows, earlier sums are scaled down.
 */
#include "../shared/attention.h"
#include "../shared/hopper_tiles.cuh"
#include "../shared/wgmma.cuh"

enum {
    KEYS = 128, /* at a time */
    GROUP_ROWS = 64,
    QUERIES = 2 * GROUP_ROWS, /* of a block */
    THREADS = 3 * OSW_WARPGROUP,
};

/* A kernel: its type, the size of heads; and what lies in shared memory:
 * queries, a ring of tiles of keys or values.
 */
template <class TYPE, int SIZE> struct kind {
    typedef TYPE T;
    enum {
        D = SIZE,
        BOXES = D / OSW_BOX_COLS,
        Q_BOX = QUERIES * OSW_BOX_BYTES,
        KEY_BOX = KEYS * OSW_BOX_BYTES, /* of values, too */
        TILES = BOXES * Q_BOX,          /* where they begin */
        TILE = BOXES * KEY_BOX,
        STAGES = D == 128 ? 5 : 8,
        BARRIERS = TILES + STAGES * TILE,
        SHARED = BARRIERS + (1 + 2 * STAGES) * (int)sizeof(osw_barrier) + 1024,
    };
};

struct view {
    int64_t l, s, width;
    int n_tiles; /* of queries, of a head */
    int n_last;  /* heads of the last dimension before the matrices */
    int k_group, v_group;
    int causal;
    float scale; /* with log2(e) */
    char *out;   /* contiguous */
};

struct maps {
    CUtensorMap q, k, v;
};

#if OSW_HOPPER

/* What a block computes. */
struct part {
    int64_t head;
    int first;  /* query */
    int n_keys; /* tiles */
};

template <class K>
__device__ static inline struct part part_of(const struct view &a)
{
    int tile = (int)(blockIdx.x % a.n_tiles);
    int n_keys = (int)((a.s + KEYS - 1) / KEYS), seen;
    struct part p;

    if (a.causal) { /* those with the most keys first */
        tile = a.n_tiles - 1 - tile;
        seen = ((tile + 1) * QUERIES + KEYS - 1) / KEYS;
        n_keys = n_keys < seen ? n_keys : seen;
    }
    p.head = blockIdx.x / a.n_tiles;
    p.first = tile * QUERIES;
    p.n_keys = n_keys;
    return p;
}

template <int BOXES, int BOX>
__device__ static inline void copy_tile(char *to, const CUtensorMap *map,
                                        const struct view &a, int64_t head,
                                        int group, int row, osw_barrier *full)
{
#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        struct osw_box_at at = {i * OSW_BOX_COLS, row,
                                (int)(head % a.n_last) / group,
                                (int)(head / a.n_last)};

        osw_box_copy(to + i * BOX, map, at, full);
    }
}

/* Queries, keys 0; keys 1, values 0; keys 2, values 1; ...; the last values */
template <class K>
__device__ static inline void
produce(char *shared, osw_barrier *q_full, struct osw_ring ring,
        const struct maps &m, const struct view &a)
{
    struct part p = part_of<K>(a);

    osw_barrier_expect(q_full, K::TILES);
    copy_tile<K::BOXES, K::Q_BOX>(shared, &m.q, a, p.head, 1, p.first, q_full);
    for (int j = 0; j <= p.n_keys; j++) {
        char *tiles = shared + K::TILES;

        if (j < p.n_keys) {
            osw_barrier *full = osw_ring_claim(&ring, K::TILE);

            copy_tile<K::BOXES, K::KEY_BOX>(tiles + ring.stage * K::TILE, &m.k,
                                            a, p.head, a.k_group, j * KEYS,
                                            full);
            osw_ring_next(&ring);
        }
        if (j > 0) {
            osw_barrier *full = osw_ring_claim(&ring, K::TILE);

            copy_tile<K::BOXES, K::KEY_BOX>(tiles + ring.stage * K::TILE, &m.v,
                                            a, p.head, a.v_group,
                                            (j - 1) * KEYS, full);
            osw_ring_next(&ring);
        }
    }
}

/* Registers of a thread; [2]: for each of its two rows. */
template <int D> struct sums {
    float score[KEYS / 2];
    uint32_t weight[KEYS / 4]; /* pairs */
    float out[D / 2];
    float largest[2], total[2], shrink[2];
};

/* Start the scores of the tile of keys at the ring's stage. */
template <class K>
__device__ static inline void start_scores(char *queries, const char *keys,
                                           struct sums<K::D> &x)
{
    uint64_t q = osw_wgmma_operand(queries, 0);
    uint64_t k = osw_wgmma_operand(keys, 0);

    osw_wgmma_hold(x.score);
    osw_wgmma_begin();
#pragma unroll
    for (int i = 0; i < K::D / 16; i++) {
        uint64_t step = osw_wgmma_step<true>(i % 4);

        osw_wgmma<typename K::T, true, true>(
            x.score, q + step + i / 4 * (K::Q_BOX >> 4),
            k + step + i / 4 * (K::KEY_BOX >> 4), i > 0);
    }
    osw_wgmma_commit();
    osw_wgmma_hold(x.score);
}

/* Start adding the weighted values. */
template <class K>
__device__ static inline void start_values(const char *values,
                                           struct sums<K::D> &x)
{
    uint64_t v = osw_wgmma_operand(values, K::KEY_BOX);

    osw_wgmma_hold(x.out);
    osw_wgmma_begin();
#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
        osw_wgmma_words<typename K::T, false>(x.out, x.weight + 4 * i,
                                              v + osw_wgmma_step<false>(i));
    osw_wgmma_commit();
    osw_wgmma_hold(x.out);
}

/* Scores of keys that a query does not see. */
template <int D>
__device__ static inline void hide(const struct view &a, int row, int key,
                                   struct sums<D> &x)
{
    int lane = (int)threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < KEYS / 2; i++) {
        int j = key + i / 4 * 8 + lane % 4 * 2 + i % 2;
        int r = row + lane / 4 + i / 2 % 2 * 8;

        if (j >= a.s || (a.causal && j > r))
            x.score[i] = -INFINITY;
    }
}

/* Scores to weights, in place. */
template <int D>
__device__ static inline void weigh(float scale, struct sums<D> &x)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float most = x.largest[r], base, total = 0.0f;

#pragma unroll
        for (int i = 2 * r; i < KEYS / 2; i += 4)
            most = fmaxf(most, fmaxf(x.score[i], x.score[i + 1]));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
        base = most == -INFINITY ? 0.0f : most * scale;
        x.shrink[r] = osw_exp2_quick(x.largest[r] * scale - base);
        x.largest[r] = most;
#pragma unroll
        for (int i = 2 * r; i < KEYS / 2; i += 4) {
            x.score[i] = osw_exp2_quick(x.score[i] * scale - base);
            x.score[i + 1] = osw_exp2_quick(x.score[i + 1] * scale - base);
            total += x.score[i] + x.score[i + 1];
        }
        x.total[r] = x.total[r] * x.shrink[r] + total;
    }
}

/* Weights as the multiplication by values reads them. */
template <class T, int D>
__device__ static inline void pack_weights(struct sums<D> &x)
{
#pragma unroll
    for (int i = 0; i < KEYS / 4; i++)
        x.weight[i] = osw_pair<T>(x.score[2 * i], x.score[2 * i + 1]);
}

template <class K>
__device__ static inline void write_rows(char *queries, const struct view &a,
                                         const struct part &p, int row,
                                         struct sums<K::D> &x)
{
    int warp = (int)threadIdx.x / 32 % 4;
    int64_t first = row + warp * 16;
    struct osw_rows_to to;

#pragma unroll
    for (int r = 0; r < 2; r++) {
        float total = x.total[r], part;

        total += __shfl_xor_sync(0xffffffffu, total, 1);
        total += __shfl_xor_sync(0xffffffffu, total, 2);
        part = total == 0.0f ? 0.0f : 1.0f / total;
#pragma unroll
        for (int i = 2 * r; i < K::D / 2; i += 4) {
            x.out[i] *= part;
            x.out[i + 1] *= part;
        }
    }
    to.pitch = a.width * (int64_t)sizeof(typename K::T);
    to.packs = a.width % 8 == 0 && (uintptr_t)a.out % 16 == 0;
    to.n_rows = (int)(a.l - first < 16 ? a.l - first : 16);
#pragma unroll
    for (int c = 0; c < K::BOXES; c++) {
        to.data = a.out + (p.head * a.l + first) * to.pitch + c * OSW_BOX_BYTES;
        to.n_cols = (int)a.width - c * OSW_BOX_COLS;
        osw_rows_write<typename K::T>(queries + warp * OSW_ROWS_ROOM,
                                      x.out + 32 * c, to);
    }
}

/* What a warpgroup works on. */
struct place {
    char *queries, *tiles; /* in shared memory: its queries, the ring */
    int row, warp_row;     /* its first query, the warp's */
};

/* Scores of the tile of keys j are there: make them weights. */
template <class K>
__device__ static inline void weigh_tile(const struct view &a,
                                         const struct place &at, int j,
                                         struct sums<K::D> &x)
{
    int end = (j + 1) * KEYS;

    if (end > a.s || (a.causal && end > at.row))
        hide(a, at.warp_row, j * KEYS, x);
    weigh(a.scale, x);
}

/* The first tile of keys: nothing to add to yet. */
template <class K>
__device__ static inline void begin(const struct view &a,
                                    const struct place &at,
                                    struct osw_ring *ring, struct sums<K::D> &x)
{
#pragma unroll
    for (int i = 0; i < K::D / 2; i++)
        x.out[i] = 0.0f;
    x.largest[0] = x.largest[1] = -INFINITY;
    x.total[0] = x.total[1] = 0.0f;
    osw_ring_await(ring);
    start_scores<K>(at.queries, at.tiles + ring->stage * K::TILE, x);
    osw_wgmma_wait<0>();
    osw_wgmma_hold(x.score);
    osw_ring_release(ring, ring->stage);
    osw_ring_next(ring);
    weigh_tile<K>(a, at, 0, x);
    pack_weights<typename K::T>(x);
}

/* Scores of tile j, and the values of the tile before. */
template <class K>
__device__ static inline void step(const struct view &a, const struct place &at,
                                   int j, struct osw_ring *ring,
                                   struct sums<K::D> &x)
{
    int keys = ring->stage, values;

    osw_ring_await(ring);
    start_scores<K>(at.queries, at.tiles + keys * K::TILE, x);
    osw_ring_next(ring);
    values = ring->stage;
    osw_ring_await(ring);
    start_values<K>(at.tiles + values * K::TILE, x);
    osw_ring_next(ring);
    osw_wgmma_wait<1>();
    osw_wgmma_hold(x.score);
    osw_ring_release(ring, keys);
    weigh_tile<K>(a, at, j, x);
    osw_wgmma_wait<0>();
    osw_wgmma_hold(x.out);
    osw_wgmma_hold(x.score);
    osw_ring_release(ring, values);
#pragma unroll
    for (int i = 0; i < K::D / 2; i++)
        x.out[i] *= x.shrink[i / 2 % 2];
    pack_weights<typename K::T>(x);
}

template <class K>
__device__ static inline void consume(char *shared, osw_barrier *q_full,
                                      struct osw_ring ring, int group,
                                      const struct view &a)
{
    struct part p = part_of<K>(a);
    struct sums<K::D> x;
    struct place at;

    at.row = p.first + group * GROUP_ROWS;
    at.warp_row = at.row + (int)threadIdx.x / 32 % 4 * 16;
    at.queries = shared + group * GROUP_ROWS * OSW_BOX_BYTES;
    at.tiles = shared + K::TILES;
    osw_barrier_wait(q_full, 0);
    begin<K>(a, at, &ring, x);
    for (int j = 1; j < p.n_keys; j++)
        step<K>(a, at, j, &ring, x);
    osw_ring_await(&ring);
    start_values<K>(at.tiles + ring.stage * K::TILE, x);
    osw_wgmma_wait<0>();
    osw_wgmma_hold(x.out);
    osw_named_sync(1 + group, OSW_WARPGROUP); /* queries have been read */
    write_rows<K>(at.queries, a, p, at.row, x);
}

#endif /* OSW_HOPPER */

template <class K>
__global__ void OSW_HOPPER_BOUNDS(THREADS)
    attend(const __grid_constant__ struct maps m,
           const __grid_constant__ struct view a)
{
#if OSW_HOPPER
    char *shared = osw_shared() + (1024 - osw_shared_at(osw_shared()) % 1024);
    osw_barrier *q_full = (osw_barrier *)(shared + K::BARRIERS);
    struct osw_ring ring = osw_ring_at(q_full + 1, K::STAGES);
    int group = (int)threadIdx.x / OSW_WARPGROUP;

    if (threadIdx.x == 0) {
        osw_barrier_init(q_full, 1);
        for (int i = 0; i < K::STAGES; i++) {
            osw_barrier_init(ring.full + i, 1);
            osw_barrier_init(ring.empty + i, 8); /* warps */
        }
        osw_barrier_publish();
    }
    __syncthreads();
    if (group == 0) {
        osw_registers_shrink<24>();
        if (threadIdx.x == 0)
            produce<K>(shared, q_full, ring, m, a);
    } else {
        osw_registers_grow<240>();
        consume<K>(shared, q_full, ring, group - 1, a);
    }
#endif
}

/* --- host --- */

/* Boxes of rows of a head.  -1: the engine cannot read them. */
static int map_of(CUtensorMap *map, const struct osw_heads *t, int64_t rows,
                  int64_t cols, int box_rows)
{
    struct osw_box_source s = {t->data, {cols, rows, 1, 1}, {1, t->row, 0, 0}};

    if (t->col != 1 && cols != 1)
        return -1;
    for (int d = 0; d < t->n_dims; d++) {
        int at = 2 + t->n_dims - 1 - d;

        s.shape[at] = t->shape[d] / (d == t->n_dims - 1 ? t->group : 1);
        s.stride[at] = t->stride[d];
    }
    return osw_box_map(map, s, box_rows);
}

template <class K>
static int launch(const osw_call *call, const struct osw_attention *a)
{
    static osw_per_device<int> runs;
    struct maps m;
    struct view v;
    int64_t n_tiles = (a->l + QUERIES - 1) / QUERIES;

    if (!osw_hopper_runs(attend<K>, THREADS, K::SHARED, &runs.here()) ||
        a->n_heads * n_tiles > INT32_MAX ||
        map_of(&m.q, &a->q, a->l, a->e, QUERIES) ||
        map_of(&m.k, &a->k, a->s, a->e, KEYS) ||
        map_of(&m.v, &a->v, a->s, a->width, KEYS))
        return OSW_UNSUPPORTED;
    v.l = a->l;
    v.s = a->s;
    v.width = a->width;
    v.n_tiles = (int)n_tiles;
    v.n_last = a->q.n_dims ? (int)a->q.shape[a->q.n_dims - 1] : 1;
    v.k_group = (int)a->k.group;
    v.v_group = (int)a->v.group;
    v.causal = a->causal;
    v.scale = (float)(a->scale * 1.4426950408889634);
    v.out = a->out.data;
    return osw_launch(call, attend<K>, dim3((unsigned)(a->n_heads * n_tiles)),
                      dim3(THREADS), K::SHARED, m, v);
}

template <class T>
static int launch_size(const osw_call *call, const struct osw_attention *a)
{
    int64_t d = a->e > a->width ? a->e : a->width;

    return d <= 64    ? launch<kind<T, 64>>(call, a)
           : d <= 128 ? launch<kind<T, 128>>(call, a)
                      : OSW_UNSUPPORTED;
}

static int flash(const osw_call *call, const struct osw_attention *a)
{
    if (a->dtype.bits != 16 || a->mask.data || a->q.n_dims > 2 ||
        !(a->scale > 0) || a->s < 1 || a->s > INT32_MAX - 2 * KEYS ||
        a->l > INT32_MAX - 2 * KEYS)
        return OSW_UNSUPPORTED;
    if (a->n_heads * a->l * a->width == 0)
        return 0;
    return a->dtype.code == OSW_BFLOAT ? launch_size<osw_bf16>(call, a)
                                       : launch_size<osw_f16>(call, a);
}

extern "C" int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);

    return rc ? rc : flash(call, &a);
}

/* ops/library/embedding_dense_backward/embedding_dense_backward_list.cuh - the
 * entries that point to each row, in their order
 *
 * They are thrown into buckets, one for each row, that have some room to spare
 * (fill_buckets); the adder of a bucket sorts it.  Rows of too many entries, as
 * of frequent words, or all where rows have many anyway, get lists, by a
 * counting sort that is stable (list_entries):
 * - rank: the entries are cut into tiles.  A block to a tile counts how often
 *   each row occurs, and how often it did before each entry;
 * - sum: where in the list of a row each tile begins; lists and pieces of KEYS
 *   rows take what is free next, whichever come first;
 * - place: entries go where they belong, and lists become pieces, of PIECE
 *   entries at most.
 * So every sum has a fixed order.
 */
#ifndef OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_LIST_CUH
#define OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_LIST_CUH

#include "../shared/chunks.cuh"
#include "../shared/picking.cuh"
#include "embedding_dense_backward.h"

enum {
    FILLERS = 256,         /* threads of a block that fills buckets */
    SLOTS = 1024,          /* of such a block, for rows */
    HEAD = 2,              /* words of a bucket before its entries */
    LISTERS = 512,         /* threads of a block that lists */
    WARPS = LISTERS / 32,  /* of them */
    TILES = 528,           /* at most */
    KEYS = 32,             /* rows of a job that sums */
    RANGE = 10 * 1024,     /* rows that a block counts, at most */
    PIECE = 128,           /* entries */
    EARLY = 8 << 20,       /* bytes of the gradient, at most: fetch_early() */
    EARLY_PART = 16 * 1024 /* at a time */
};

static constexpr uint32_t NONE = ~0u; /* no row, or one without a list */

/* After this call the writes of the preceding kernel are visible; before it,
 * that kernel may still run.
 */
__device__ static void await_kernel(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The next kernel may be set up. */
__device__ static void let_next(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Two counts in a word: entries below, pieces above. */
typedef unsigned long long counts;

/* Read and written at once, as the next one. */
struct alignas(16) piece {
    uint32_t key, from; /* row; where its entries begin in the list */
    uint32_t before, n; /* how many of the row's are in pieces before, in all */
};

struct alignas(16) row {
    counts begins; /* where its list does, and its pieces */
    uint32_t n;    /* entries */
};

/* Cleared by the first kernel. */
struct control {
    counts taken;                /* of lists and pieces */
    uint32_t n_listed;           /* rows whose bucket was too small */
    uint32_t next;               /* job of list_entries */
    uint32_t n_ranked, n_summed; /* that are done */
};

struct view {
    struct osw_strided index;
    struct osw_row_view grad;
    int64_t n_weights, padding;
    int scale;
    uint32_t n;       /* entries */
    uint32_t pitch;   /* bytes between rows of grad, in chunks */
    uint32_t n_early; /* parts of grad, from its beginning */
    struct control *control;
    uint32_t room;     /* of a bucket, entries; 0: all rows have lists */
    uint32_t *buckets; /* [n_weights, HEAD + room] how many entries want to be
                          there, which list there is, entries */
    uint32_t most_listed;   /* rows that have lists */
    uint32_t *listed;       /* [most_listed] which, if there are buckets */
    uint32_t n_tiles, tile; /* a tile: entries */
    uint32_t range;         /* rows that a block counts */
    uint2 *ranks; /* [n] list, or NONE; rank among its entries of this tile */
    uint32_t *begins; /* [n_tiles, most_listed] of a tile's, in a row's list */
    struct row *rows; /* [most_listed] */
    uint32_t *at;     /* [n] the list */
    uint32_t most_pieces; /* that there may be */
    struct piece *pieces;
    uint32_t n_slices; /* columns of a group of threads, side by side */
    uint32_t *arrived; /* [2 * (n / PIECE) + 2, n_slices]: see slot_of() */
    float *partial;    /* [2 * (n / PIECE) + 2, width] */
    char *out;         /* [n_weights, width] */
};

__device__ static uint32_t pieces_of(uint32_t n)
{
    return n ? (n + PIECE - 1) / PIECE : 1; /* to be cleared */
}

/* The row of an entry, or NONE. */
__device__ static uint32_t key_of(const struct view &v, uint32_t i)
{
    int64_t k = osw_pick_at(&v.index, i, v.n_weights);

    return k == v.padding ? NONE : (uint32_t)k;
}

__device__ static uint32_t *bucket_of(const struct view &v, uint32_t key)
{
    return v.buckets + (size_t)key * (HEAD + v.room);
}

/* Of rows that have lists, that of an entry, or NONE. */
__device__ static uint32_t list_of(const struct view &v, uint32_t i)
{
    uint32_t key = key_of(v, i);
    uint2 head;

    if (!v.room || key == NONE)
        return key;
    head = __ldcg((const uint2 *)bucket_of(v, key));
    return head.x > v.room ? head.y : NONE;
}

/* The sum of bytes of a word. */
__device__ static uint32_t sum_bytes(uint32_t word, uint32_t sum)
{
    return __dp4a(word, 0x01010101u, sum);
}

__device__ static uint32_t sum_of(const uint4 &bytes, uint32_t sum)
{
    return sum_bytes(
        bytes.x,
        sum_bytes(bytes.y, sum_bytes(bytes.z, sum_bytes(bytes.w, sum))));
}

/* While entries are listed, memory has nothing to do: send for the beginning of
 * the gradient, which add_rows may still find in the cache.  By a block of n.
 */
__device__ static void fetch_early(const struct view &v, uint32_t block,
                                   uint32_t n)
{
#if __CUDA_ARCH__ >= 900
    for (uint32_t i = threadIdx.x * n + block; i < v.n_early;
         i += blockDim.x * n)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                         v.grad.outer.data + (size_t)i * EARLY_PART),
                     "n"((int)EARLY_PART)
                     : "memory");
#else
    (void)v, (void)block, (void)n;
#endif
}

/* The first kernel. */
static __global__ void __launch_bounds__(LISTERS)
    clear_buckets(const __grid_constant__ struct view v)
{
    uint32_t i = blockIdx.x * LISTERS + threadIdx.x;

    let_next();
    if (i < sizeof(struct control) / 4)
        ((uint32_t *)v.control)[i] = 0;
    if (v.room && i < v.n_weights)
        *bucket_of(v, i) = 0;
}

/* Room for n entries of a row: where it begins.  A caller that finds
 * too little room asks for a list.
 */
__device__ static uint32_t take_room(const struct view &v, uint32_t key,
                                     uint32_t n)
{
    uint32_t *bucket = bucket_of(v, key), i = atomicAdd(bucket, n);

    if (i <= v.room && i + n > v.room) {
        uint32_t list = atomicAdd(&v.control->n_listed, 1);

        bucket[1] = list;
        v.listed[list] = key;
    }
    return i;
}

/* In any order.  A block's entries for the same row take room at once: many
 * may want a frequent one's.  Of those whose rows share a slot, one has it:
 * those of the same row go with it, others on their own.
 */
static __global__ void __launch_bounds__(FILLERS)
    fill_buckets(const __grid_constant__ struct view v)
{
    __shared__ uint32_t owner[SLOTS], key_of_thread[FILLERS], n[FILLERS];
    uint32_t self = threadIdx.x, at = blockIdx.x * FILLERS + self, key = NONE;
    uint32_t with, i = 0;

    let_next();
    n[self] = 0;
    if (at < v.n)
        key = key_of(v, at);
    key_of_thread[self] = key;
    if (key != NONE)
        atomicExch(&owner[key % SLOTS], self); /* any of them */
    __syncthreads();
    with = key != NONE ? owner[key % SLOTS] : self;
    with = key_of_thread[with] == key ? with : self;
    i = atomicAdd(&n[with], 1);
    __syncthreads();
    await_kernel();
    fetch_early(v, blockIdx.x, gridDim.x);
    if (key != NONE && with == self)
        n[self] = take_room(v, key, n[self]);
    __syncthreads();
    i += n[with];
    if (key != NONE && i < v.room)
        bucket_of(v, key)[HEAD + i] = at;
}

/* Each warp counts for itself, in its own byte of a row's; those of the warps
 * before it are added up.
 */
__device__ static void rank(const struct view &v, uint32_t tile, uint32_t base,
                            uint32_t n_keys)
{
    uint8_t *of_warp = (uint8_t *)osw_shared(); /* [n_keys, WARPS] */
    uint32_t first = tile * v.tile, last = first + v.tile;
    uint32_t warp = threadIdx.x / 32, *count, more;

    count = (uint32_t *)(of_warp + n_keys * WARPS); /* of stretches before */
    last = last < v.n ? last : v.n;
    more = v.tile > LISTERS;
    for (uint32_t i = first; i < last; i += LISTERS) {
        uint32_t at = i + threadIdx.x, before;
        uint32_t list = at < last ? list_of(v, at) : NONE, key = list - base;
        unsigned same, lower;
        int here;

        for (uint32_t k = threadIdx.x; k < n_keys; k += LISTERS) {
            uint4 *bytes = (uint4 *)of_warp + k;

            if (more)
                count[k] = i == first ? 0 : sum_of(*bytes, count[k]);
            *bytes = make_uint4(0, 0, 0, 0);
        }
        here = key < n_keys;
        same = __match_any_sync(0xffffffffu, here ? key : ~0u);
        lower = same & ((1u << threadIdx.x % 32) - 1);
        before = (uint32_t)__popc(lower);
        __syncthreads();
        if (i == first && base == 0 && !v.room)
            fetch_early(v, tile, v.n_tiles);
        if (here && !lower)
            of_warp[key * WARPS + warp] = (uint8_t)__popc(same);
        __syncthreads();
        if (here) {
            const uint32_t *words = (const uint32_t *)(of_warp + key * WARPS);

            for (uint32_t w = 0; w < warp / 4; w++)
                before = sum_bytes(words[w], before);
            before =
                sum_bytes(words[warp / 4] & ((1u << warp % 4 * 8) - 1), before);
            v.ranks[at] = make_uint2(list, before + (more ? count[key] : 0));
        } else if (at < last && list == NONE && base == 0) {
            v.ranks[at] = make_uint2(NONE, 0);
        }
        __syncthreads();
    }
    for (uint32_t k = threadIdx.x; k < n_keys; k += LISTERS)
        v.begins[tile * v.most_listed + base + k] =
            sum_of(((uint4 *)of_warp)[k], more ? count[k] : 0);
}

/* One place of a row's pieces among those of all rows that have several: a
 * piece of PIECE entries begins in each stretch of as many, and perhaps the
 * first one of another row.
 */
__device__ static uint32_t slot_of(const struct piece &p)
{
    return 2 * (p.from / PIECE) + (p.before == 0);
}

__device__ static void put_piece(const struct view &v, uint32_t i, uint32_t key,
                                 uint32_t from, uint32_t before, uint32_t n)
{
    struct piece p = {key, from, before, n};

    *(uint4 *)&v.pieces[i] = *(const uint4 *)&p;
    for (uint32_t s = 0; before == 0 && n > PIECE && s < v.n_slices; s++)
        v.arrived[slot_of(p) * v.n_slices + s] = 0;
}

/* Counts of tiles become what is before them, but for one warp, which finds
 * room for the lists; rows without entries are a piece already.
 */
__device__ static void sum(const struct view &v, uint32_t job,
                           uint32_t n_listed)
{
    enum { PARTS = WARPS - 1, MOST = (TILES + PARTS - 1) / PARTS };
    static_assert(KEYS == 32, "a part is a warp");
    __shared__ uint32_t of_part[PARTS][KEYS];
    uint32_t part = threadIdx.x / KEYS, lane = threadIdx.x % KEYS;
    uint32_t i_list = job * KEYS + lane;
    uint32_t each = (v.n_tiles + PARTS - 1) / PARTS, first = part * each;
    uint32_t n[MOST], all_of = 0, before = 0;
    int here = i_list < n_listed;
    auto is_mine = [&](uint32_t i) {
        return here && part < PARTS && i < each && first + i < v.n_tiles;
    };

#pragma unroll
    for (int i = 0; i < MOST; i++) {
        n[i] = is_mine(i)
                   ? __ldcg(&v.begins[(first + i) * v.most_listed + i_list])
                   : 0;
        all_of += n[i];
    }
    if (part < PARTS)
        of_part[part][lane] = all_of;
    __syncthreads();
    for (uint32_t p = 0; p < part; p++)
        before += of_part[p][lane];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        if (is_mine(i))
            v.begins[(first + i) * v.most_listed + i_list] = before;
        before += n[i];
    }
    if (part == PARTS) { /* `before` is all of the row's */
        counts own = here ? (counts)pieces_of(before) << 32 | before : 0;
        counts all = own, start = 0;

        for (int o = 1; o < 32; o *= 2) {
            counts other = __shfl_up_sync(0xffffffffu, all, (unsigned)o);

            all += (int)lane >= o ? other : 0;
        }
        if (lane == 31)
            start = atomicAdd(&v.control->taken, all);
        start = __shfl_sync(0xffffffffu, start, 31) + all - own;
        if (here) {
            struct row r = {start, before};

            *(uint4 *)&v.rows[i_list] = *(const uint4 *)&r;
            if (before == 0)
                put_piece(v, (uint32_t)(start >> 32), i_list, 0, 0, 0);
        }
    }
}

__device__ static void place(const struct view &v, uint32_t tile)
{
    uint32_t first = tile * v.tile, last = first + v.tile;

    last = last < v.n ? last : v.n;
    for (uint32_t at = first + threadIdx.x; at < last; at += LISTERS) {
        uint2 own = __ldcg(&v.ranks[at]);
        uint32_t i = own.x, in_row;
        uint4 words;
        struct row r;

        if (i == NONE)
            continue;
        in_row = __ldcg(&v.begins[tile * v.most_listed + i]) + own.y;
        words = __ldcg((const uint4 *)&v.rows[i]);
        memcpy(&r, &words, sizeof(r));
        v.at[(uint32_t)r.begins + in_row] = at;
        if (in_row % PIECE == 0)
            put_piece(v, (uint32_t)(r.begins >> 32) + in_row / PIECE,
                      v.room ? __ldcg(&v.listed[i]) : i,
                      (uint32_t)r.begins + in_row, in_row, r.n);
    }
}

/* A job is done: a waiter sees the writes of all threads of the block. */
__device__ static void report(uint32_t *n_done)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(n_done, 1);
}

__device__ static void await_jobs(const uint32_t *n_done, uint32_t n)
{
    if (threadIdx.x == 0)
        while (*(const volatile uint32_t *)n_done < n)
            ;
    __threadfence();
    __syncthreads();
}

/* Jobs are taken in their order, so those that one waits for are done already,
 * or under way.  What others wrote is read from the cache that all share.
 */
static __global__ void __launch_bounds__(LISTERS, 2)
    list_entries(const __grid_constant__ struct view v)
{
    __shared__ uint32_t next;
    uint32_t n_listed, n_rank, n_sum, job;

    let_next();
    await_kernel();
    n_listed = v.room ? v.control->n_listed : (uint32_t)v.n_weights;
    if (n_listed == 0)
        return;
    n_rank = v.n_tiles * ((n_listed + v.range - 1) / v.range);
    n_sum = (n_listed + KEYS - 1) / KEYS;
    do {
        __syncthreads();
        if (threadIdx.x == 0)
            next = atomicAdd(&v.control->next, 1);
        __syncthreads();
        job = next;
        if (job < n_rank) {
            uint32_t base = job / v.n_tiles * v.range, n = n_listed - base;

            rank(v, job % v.n_tiles, base, n < v.range ? n : v.range);
            report(&v.control->n_ranked);
        } else if (job < n_rank + n_sum) {
            await_jobs(&v.control->n_ranked, n_rank);
            sum(v, job - n_rank, n_listed);
            report(&v.control->n_summed);
        } else if (job < n_rank + n_sum + v.n_tiles) {
            await_jobs(&v.control->n_summed, n_sum);
            place(v, job - n_rank - n_sum);
        }
    } while (job < n_rank + n_sum + v.n_tiles);
}

/* --- host --- */

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Cut the scratch memory at p; how much it is. */
static size_t cut(struct view *v, char *p)
{
    size_t rows = v->most_listed, n = v->n, at = 0;
    size_t n_slots = 2 * (n / PIECE) + 2;
    const struct {
        void *to; /* the pointer */
        size_t bytes;
    } parts[] = {
        {&v->control, sizeof(struct control)},
        {&v->buckets,
         v->room ? (size_t)v->n_weights * (HEAD + v->room) * 4 : 0},
        {&v->listed, rows * 4},
        {&v->ranks, n * sizeof(uint2)},
        {&v->begins, v->n_tiles * rows * 4},
        {&v->rows, rows * sizeof(struct row)},
        {&v->at, n * 4},
        {&v->pieces, v->most_pieces * sizeof(struct piece)},
        {&v->arrived, n_slots * v->n_slices * 4},
        {&v->partial, n_slots * (size_t)v->grad.n * 4},
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char *part = p + at;

        memcpy(parts[i].to, &part, sizeof(part));
        at += aligned(parts[i].bytes);
    }
    return at;
}

/* Launch a kernel that waits for the one before it by await_kernel(). */
template <class... P, class... A>
static int launch_next(const osw_call *call, void (*kernel)(P...), dim3 grid,
                       dim3 block, size_t shared_bytes, const A &...args)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = grid;
    how.blockDim = block;
    how.dynamicSmemBytes = shared_bytes;
    how.stream = (cudaStream_t)call->stream;
    how.attrs = &early;
    how.numAttrs = 1;
    cudaLaunchKernelEx(&how, kernel, P(args)...);
    return 0;
}

/* Room of a bucket for many more entries than a row has on average: of
 * independent ones not one row in 10^9 has more.  0: lists are better, or
 * buckets would be far larger than the output.
 */
static uint32_t room_for(const struct view &v)
{
    static const struct {
        uint32_t mean, words;
    } rooms[] = {{6, 32}, {24, 64}, {64, 128}};
    int64_t row_bytes = v.grad.n * (v.grad.outer.dtype.bits / 8);

    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
        if (v.n / v.n_weights <= rooms[i].mean)
            return v.n_weights * rooms[i].words * 4 > (int64_t)64 << 20 &&
                           rooms[i].words > row_bytes
                       ? 0
                       : rooms[i].words - HEAD;
    return 0;
}

/* Bytes of shared memory for each row that a block counts. */
static uint32_t range_bytes(uint32_t tile)
{
    return WARPS + (tile > LISTERS ? (uint32_t)sizeof(uint32_t) : 0);
}

/* Cut what is to be listed: entries, and rows. */
static void divide(struct view *v)
{
    int64_t most;
    uint32_t range;

    v->room = room_for(*v);
    v->most_listed =
        v->room ? v->n / (v->room + 1) + 1 : (uint32_t)v->n_weights;
    most = ((int64_t)16 << 20) / v->most_listed; /* 64 MiB of counts */
    most = most < 1 ? 1 : most > TILES ? (int64_t)TILES : most;
    v->tile = (uint32_t)((v->n + most - 1) / most);
    v->tile = (v->tile + LISTERS - 1) / LISTERS * LISTERS;
    v->n_tiles = (v->n + v->tile - 1) / v->tile;
    range = (uint32_t)osw_launch_room() / range_bytes(v->tile);
    range = range < RANGE ? range : (uint32_t)RANGE;
    v->range = range < v->most_listed ? range : v->most_listed;
    v->most_pieces = v->most_listed + v->n / PIECE;
}

/* Buckets, lists and pieces: 0, or OSW_ERROR. */
static int list(const osw_call *call, struct view *v)
{
    static osw_per_device<size_t> allowed;
    char *scratch = (char *)osw_workspace(call, cut(v, NULL));
    unsigned n_clear = v->room ? (unsigned)((v->n_weights - 1) / LISTERS) : 0;

    if (!scratch)
        return OSW_ERROR;
    cut(v, scratch);
    osw_launch_allow(list_entries, (size_t)osw_launch_room(), &allowed.here());
    osw_launch(call, clear_buckets, dim3(n_clear + 1), dim3(LISTERS), 0, *v);
    if (v->room)
        launch_next(call, fill_buckets, dim3((v->n + FILLERS - 1) / FILLERS),
                    dim3(FILLERS), 0, *v);
    return launch_next(call, list_entries, dim3(2 * (unsigned)osw_sm_count()),
                       dim3(LISTERS), v->range * range_bytes(v->tile), *v);
}

#endif /* OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_LIST_CUH */

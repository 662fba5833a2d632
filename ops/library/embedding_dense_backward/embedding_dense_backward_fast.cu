/* ops/library/embedding_dense_backward/embedding_dense_backward_fast.cu - the
 * entries that point to each row, listed in their order, then added up
 *
 * A counting sort, stable, so that every sum has a fixed order:
 * - rank_entries: the entries are cut into tiles.  A block to a tile counts
 *   how often each row occurs, and how often it did before each entry;
 * - sum_tiles: where in the list of a row each tile begins; lists and pieces of
 *   KEYS rows take what is free next, whichever come first;
 * - place_entries: entries go where they belong, and lists become pieces, of
 *   PIECE entries at most;
 * - add_pieces: a group of threads adds up a piece.  Of a row in several pieces
 *   whoever is last adds up these.
 */
#include "../chunks.cuh"
#include "../picking.cuh"
#include "embedding_dense_backward.h"

enum {
    RANKERS = 512,         /* threads of a block that ranks, or places */
    WARPS = RANKERS / 32,  /* of them */
    TILES = 528,           /* at most */
    SUMMERS = 512,         /* threads of a block of sum_tiles */
    KEYS = 32,             /* rows of such a block */
    RANGE = 10 * 1024,     /* rows that a block counts */
    ADDERS = 128,          /* threads of half a block of add_pieces */
    PIECE = 128,           /* entries */
    EARLY = 8 << 20,       /* bytes of the gradient, at most: fetch_early() */
    EARLY_PART = 16 * 1024 /* at a time */
};

/* Behind this, what the kernel before this one has written is there; before, it
 * may still run.
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

struct view {
    struct osw_strided index;
    struct osw_row_view grad;
    int64_t n_weights, padding;
    int scale;
    uint32_t n;             /* entries */
    uint32_t pitch;         /* bytes between rows of grad, in chunks */
    uint32_t n_early;       /* parts of grad, from its beginning */
    uint32_t n_tiles, tile; /* a tile: entries */
    uint32_t *rank;         /* [n] among the entries of its tile and row */
    uint32_t *begins; /* [n_tiles, n_weights] of a tile's, in a row's list */
    counts *taken;    /* [1] of lists and pieces */
    struct row *rows; /* [n_weights] */
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

/* The row of an entry; n_weights: of none. */
__device__ static uint32_t key_of(const struct view &v, uint32_t i)
{
    int64_t k = osw_pick_at(&v.index, i, v.n_weights);

    return (uint32_t)(k == v.padding ? v.n_weights : k);
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
 * the gradient, which add_pieces may still find in the cache.
 */
__device__ static void fetch_early(const struct view &v)
{
#if __CUDA_ARCH__ >= 900
    for (uint32_t i = threadIdx.x * gridDim.x + blockIdx.x; i < v.n_early;
         i += blockDim.x * gridDim.x)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                         v.grad.outer.data + (size_t)i * EARLY_PART),
                     "n"((int)EARLY_PART)
                     : "memory");
#else
    (void)v;
#endif
}

/* Each warp counts for itself, in its own byte of a row's; those of the warps
 * before it are added up.
 */
static __global__ void __launch_bounds__(RANKERS, 3)
    rank_entries(const __grid_constant__ struct view v)
{
    uint8_t *of_warp = (uint8_t *)osw_shared(); /* [n_keys, WARPS] */
    uint32_t base = blockIdx.y * RANGE, tile = blockIdx.x;
    uint32_t n_keys = (uint32_t)v.n_weights - base;
    uint32_t first = tile * v.tile, last = first + v.tile;
    uint32_t warp = threadIdx.x / 32, *count, more;

    let_next();
    if (tile == 0 && base == 0 && threadIdx.x == 0)
        *v.taken = 0;
    n_keys = n_keys < RANGE ? n_keys : (uint32_t)RANGE;
    count = (uint32_t *)(of_warp + n_keys * WARPS); /* of stretches before */
    last = last < v.n ? last : v.n;
    more = v.tile > RANKERS;
    for (uint32_t i = first; i < last; i += RANKERS) {
        uint32_t at = i + threadIdx.x, before;
        uint32_t key = at < last ? key_of(v, at) - base : n_keys;
        unsigned same, lower;
        int here;

        for (uint32_t k = threadIdx.x; k < n_keys; k += RANKERS) {
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
        if (i == first && blockIdx.y == 0)
            fetch_early(v);
        if (here && !lower)
            of_warp[key * WARPS + warp] = (uint8_t)__popc(same);
        __syncthreads();
        if (here) {
            const uint32_t *words = (const uint32_t *)(of_warp + key * WARPS);

            for (uint32_t w = 0; w < warp / 4; w++)
                before = sum_bytes(words[w], before);
            before =
                sum_bytes(words[warp / 4] & ((1u << warp % 4 * 8) - 1), before);
            v.rank[at] = before + (more ? count[key] : 0);
        }
        __syncthreads();
    }
    for (uint32_t k = threadIdx.x; k < n_keys; k += RANKERS)
        v.begins[tile * v.n_weights + base + k] =
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
static __global__ void __launch_bounds__(SUMMERS)
    sum_tiles(const __grid_constant__ struct view v)
{
    enum { PARTS = SUMMERS / KEYS - 1, MOST = (TILES + PARTS - 1) / PARTS };
    static_assert(KEYS == 32, "a part is a warp");
    __shared__ uint32_t of_part[PARTS][KEYS];
    uint32_t part = threadIdx.x / KEYS, lane = threadIdx.x % KEYS;
    int64_t key = (int64_t)blockIdx.x * KEYS + lane;
    uint32_t each = (v.n_tiles + PARTS - 1) / PARTS, first = part * each;
    uint32_t n[MOST], sum = 0, before = 0;
    int here = key < v.n_weights;
    auto is_mine = [&](uint32_t i) {
        return here && part < PARTS && i < each && first + i < v.n_tiles;
    };

    let_next();
    await_kernel();
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        n[i] = is_mine(i) ? v.begins[(first + i) * v.n_weights + key] : 0;
        sum += n[i];
    }
    if (part < PARTS)
        of_part[part][lane] = sum;
    __syncthreads();
    for (uint32_t p = 0; p < part; p++)
        before += of_part[p][lane];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        if (is_mine(i))
            v.begins[(first + i) * v.n_weights + key] = before;
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
            start = atomicAdd(v.taken, all);
        start = __shfl_sync(0xffffffffu, start, 31) + all - own;
        if (here) {
            struct row r = {start, before};

            *(uint4 *)&v.rows[key] = *(const uint4 *)&r;
            if (before == 0)
                put_piece(v, (uint32_t)(start >> 32), (uint32_t)key, 0, 0, 0);
        }
    }
}

static __global__ void __launch_bounds__(RANKERS, 3)
    place_entries(const __grid_constant__ struct view v)
{
    uint32_t first = blockIdx.x * v.tile, last = first + v.tile;
    uint32_t at = first + threadIdx.x, key;
    struct row r;

    let_next();
    last = last < v.n ? last : v.n;
    key = at < last ? key_of(v, at) : 0;
    await_kernel();
    while (at < last) {
        if (key != v.n_weights) {
            uint32_t in_row =
                v.begins[blockIdx.x * v.n_weights + key] + v.rank[at];

            *(uint4 *)&r = *(const uint4 *)&v.rows[key];
            v.at[(uint32_t)r.begins + in_row] = at;
            if (in_row % PIECE == 0)
                put_piece(v, (uint32_t)(r.begins >> 32) + in_row / PIECE, key,
                          (uint32_t)r.begins + in_row, in_row, r.n);
        }
        at += RANKERS;
        key = at < last ? key_of(v, at) : 0;
    }
}

/* A thread's columns: a chunk of 16 bytes, or one. */
template <class T, int N> struct sums {
    float v[N];

    __device__ static void load(osw_chunk<T> &c, const T *p)
    {
        if (N > 1)
            c.raw = __ldcs((const uint4 *)p);
        else
            c.v[0] = *p;
    }
    __device__ void add(const osw_chunk<T> &c)
    {
        if constexpr (N > 1) {
            float x[N];

            osw_chunk_to_floats(c, x);
#pragma unroll
            for (int e = 0; e < N; e++)
                v[e] += x[e];
        } else {
            v[0] += osw_pack_float(c.v[0]);
        }
    }
    __device__ void put(T *p, float divisor) const
    {
        if constexpr (N > 1) {
            osw_chunk<T> c;

#pragma unroll
            for (int e = 0; e < N; e += 2)
                osw_pack_two(&c.v[e], v[e] / divisor, v[e + 1] / divisor);
            __stcs((uint4 *)p, c.raw);
        } else {
            *p = osw_pack_as<T>(v[0] / divisor);
        }
    }
};

/* The columns of a piece from `col` on, the rows of IN_FLIGHT entries at a
 * time: of more, memory sends less.
 */
template <class T, int N>
__device__ static sums<T, N>
add_piece(const struct view &v, const struct piece &p, uint32_t n, int64_t col)
{
    enum { IN_FLIGHT = sizeof(T) == 2 ? 6 : 4 };
    const char *grad =
        v.grad.outer.data + col * v.grad.stride * (int64_t)sizeof(T);
    const uint32_t *list = v.at + p.from;
    sums<T, N> s = {};

#pragma unroll 1
    for (uint32_t j = 0; j < n; j += IN_FLIGHT) {
        osw_chunk<T> c[IN_FLIGHT];

#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            if (j + u < n) {
                uint32_t at = list[j + u];
                int64_t far = N > 1 ? (int64_t)((uint64_t)at * v.pitch)
                                    : osw_strided_offset(&v.grad.outer, at) *
                                          (int64_t)sizeof(T);

                s.load(c[u], (const T *)(grad + far));
            }
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            if (j + u < n)
                s.add(c[u]);
    }
    return s;
}

/* The same by two groups, half of the entries each, so that the last piece
 * takes half as long; the first group gets the sum.  All threads of the block
 * come here.
 */
template <class T, int N>
__device__ static sums<T, N>
add_halves(const struct view &v, const struct piece &p, uint32_t n, int64_t col)
{
    __shared__ float of_second[N][ADDERS];
    uint32_t lane = threadIdx.y * blockDim.x + threadIdx.x, half = n - n / 2;
    struct piece own = p;
    sums<T, N> s = {};

    own.from += threadIdx.z * half;
    if (col < v.grad.n)
        s = add_piece<T, N>(v, own, threadIdx.z ? n - half : half, col);
    if (threadIdx.z)
#pragma unroll
        for (int e = 0; e < N; e++)
            of_second[e][lane] = s.v[e];
    __syncthreads();
    if (!threadIdx.z)
#pragma unroll
        for (int e = 0; e < N; e++)
            s.v[e] += of_second[e][lane];
    return s;
}

/* All threads of the block come here.  is_part: of a row in several pieces. */
template <class T, int N>
__device__ static void
join_pieces(const struct view &v, const struct piece &p, const sums<T, N> &own,
            int is_part, uint32_t slice, int64_t col, T *out, float divisor)
{
    __shared__ uint32_t of_group[ADDERS];
    struct piece first = {p.key, p.from - p.before, 0, p.n};
    uint32_t n = (p.n + PIECE - 1) / PIECE;
    int64_t width = v.grad.n;
    sums<T, N> s = {};

    if (is_part && col < width)
#pragma unroll
        for (int e = 0; e < N; e++)
            v.partial[slot_of(p) * width + col + e] = own.v[e];
    __threadfence();
    __syncthreads();
    if (is_part && threadIdx.x == 0)
        of_group[threadIdx.y] =
            atomicAdd(&v.arrived[slot_of(first) * v.n_slices + slice], 1);
    __syncthreads();
    if (!is_part || of_group[threadIdx.y] + 1 < n || col >= width)
        return;
    __threadfence();
    for (uint32_t i = 0; i < n; i++) {
        struct piece q = {p.key, first.from + i * PIECE, i * PIECE, p.n};

#pragma unroll
        for (int e = 0; e < N; e++)
            s.v[e] += __ldcg(&v.partial[slot_of(q) * width + col + e]);
    }
    s.put(out, divisor);
}

template <class T, int N>
__global__ void __launch_bounds__(2 * ADDERS, 1024 / (2 * ADDERS))
    add_pieces(const __grid_constant__ struct view v)
{
    uint32_t slice = blockIdx.x % v.n_slices;
    uint32_t i = blockIdx.x / v.n_slices * blockDim.y + threadIdx.y;
    int64_t col = ((int64_t)slice * blockDim.x + threadIdx.x) * (int64_t)N;
    int there, is_part;
    struct piece p = {};
    sums<T, N> s = {};
    uint32_t n;
    T *out;
    float divisor;

    await_kernel();
    if (i < v.most_pieces)
        *(uint4 *)&p = *(const uint4 *)&v.pieces[i];
    there = i < (uint32_t)(*v.taken >> 32);
    if (!there)
        p = {};
    n = p.n - p.before < PIECE ? p.n - p.before : (uint32_t)PIECE;
    out = (T *)v.out + p.key * v.grad.n + col;
    divisor = v.scale && p.n ? (float)p.n : 1.0f;
    is_part = p.n > PIECE;
    s = add_halves<T, N>(v, p, n, col);
    if (threadIdx.z) { /* the other half has the sum */
        there = is_part = 0;
        col = v.grad.n;
    }
    if (there && !is_part && col < v.grad.n)
        s.put(out, divisor);
    if (__syncthreads_or(is_part))
        join_pieces<T, N>(v, p, s, is_part, slice, col, out, divisor);
}

/* --- host --- */

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Cut the scratch memory at p; how much it is. */
static size_t cut(struct view *v, char *p)
{
    size_t rows = (size_t)v->n_weights, n = v->n, at = 0;
    size_t n_slots = 2 * (n / PIECE) + 2;
    const struct {
        void *to; /* the pointer */
        size_t bytes;
    } parts[] = {
        {&v->rank, n * 4},
        {&v->begins, v->n_tiles * rows * 4},
        {&v->taken, sizeof(counts)},
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

/* Of shared memory of rank_entries, for each row that it counts. */
static size_t range_bytes(uint32_t tile)
{
    return WARPS + (tile > RANKERS ? sizeof(uint32_t) : 0);
}

/* Launch a kernel that waits for the one before it by await_kernel(). */
static int launch_next(const osw_call *call, void (*kernel)(const struct view),
                       dim3 grid, dim3 block, size_t shared_bytes,
                       const struct view &v)
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
    cudaLaunchKernelEx(&how, kernel, v);
    return 0;
}

/* The entries in their order, and pieces: 0, or OSW_ERROR. */
static int list_entries(const osw_call *call, struct view *v)
{
    static size_t allowed = 0;
    size_t count = (size_t)(v->n_weights < RANGE ? v->n_weights : RANGE) *
                   range_bytes(v->tile);
    char *room = (char *)osw_workspace(call, cut(v, NULL));

    if (!room)
        return OSW_ERROR;
    cut(v, room);
    if (!allowed) {
        allowed = (size_t)osw_launch_room();
        osw_launch_allow(rank_entries, allowed);
    }
    osw_launch(call, rank_entries,
               dim3(v->n_tiles, (unsigned)((v->n_weights + RANGE - 1) / RANGE)),
               dim3(RANKERS), count, *v);
    launch_next(call, sum_tiles,
                dim3((unsigned)((v->n_weights + KEYS - 1) / KEYS)),
                dim3(SUMMERS), 0, *v);
    return launch_next(call, place_entries, dim3(v->n_tiles), dim3(RANKERS), 0,
                       *v);
}

/* Threads side by side, for so many columns or chunks of them. */
static uint32_t threads_for(int64_t n)
{
    uint32_t threads = 1;

    if (n > 32)
        return n < ADDERS ? (uint32_t)(n + 31) / 32 * 32 : (uint32_t)ADDERS;
    while (threads < n)
        threads *= 2;
    return threads;
}

template <class T, int N>
static int add_up(const osw_call *call, struct view *v)
{
    int64_t chunks = v->grad.n / N;
    uint32_t x = threads_for(chunks), y = ADDERS / x;
    int rc;

    v->n_slices = (uint32_t)((chunks + x - 1) / x);
    if ((int64_t)v->most_pieces * v->n_slices > INT32_MAX)
        return OSW_UNSUPPORTED;
    rc = list_entries(call, v);
    if (rc)
        return rc;
    return launch_next(call, add_pieces<T, N>,
                       dim3((v->most_pieces + y - 1) / y * v->n_slices),
                       dim3(x, y, 2), 0, *v);
}

/* Can rows be read in chunks?  Then v->pitch and v->n_early are set. */
static int in_chunks(struct view *v)
{
    int64_t n = 128 / v->grad.outer.dtype.bits;
    int whole = v->grad.stride == 1 && v->grad.n % n == 0 &&
                v->grad.outer.ndim <= 1 &&
                (((uintptr_t)v->grad.outer.data | (uintptr_t)v->out) & 15) == 0;
    int64_t pitch = v->grad.outer.ndim ? v->grad.outer.strides[0] : 0;
    int64_t row_bytes = v->grad.n * (v->grad.outer.dtype.bits / 8);
    int64_t early = v->n * row_bytes < EARLY ? v->n * row_bytes : EARLY;

    v->pitch = (uint32_t)(pitch * (v->grad.outer.dtype.bits / 8));
    if (!whole || pitch % n || pitch < 0 || pitch > INT32_MAX / 4)
        return 0;
    if (v->pitch == row_bytes)
        v->n_early = (uint32_t)(early / EARLY_PART);
    return 1;
}

/* How the entries are cut, and rows: 0, or OSW_UNSUPPORTED. */
static int divide(struct view *v)
{
    int64_t most = ((int64_t)16 << 20) / v->n_weights; /* 64 MiB of counts */

    most = most < 1 ? 1 : most > TILES ? (int64_t)TILES : most;
    v->tile = (uint32_t)((v->n + most - 1) / most);
    v->tile = (v->tile + RANKERS - 1) / RANKERS * RANKERS;
    v->n_tiles = (v->n + v->tile - 1) / v->tile;
    v->most_pieces = (uint32_t)v->n_weights + v->n / PIECE;
    return (v->n_weights + RANGE - 1) / RANGE > 65535 ||
                   (int64_t)(RANGE * range_bytes(v->tile)) > osw_launch_room()
               ? OSW_UNSUPPORTED
               : 0;
}

extern "C" int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {};
    struct view v = {};
    int rc = osw_embedding_back_open(call, &e);

    if (rc)
        return rc;
    if (!osw_convert_knows(e.out->dtype) || e.n_weights >= INT32_MAX / 2 ||
        e.grad.n_rows > INT32_MAX / 2 || e.grad.n > 65535 * 32 ||
        osw_strided_of(&v.index, e.indices) ||
        osw_row_view_of(&v.grad, &e.grad))
        return OSW_UNSUPPORTED;
    v.n_weights = e.n_weights;
    v.padding = e.padding;
    v.scale = e.scale;
    v.n = (uint32_t)e.grad.n_rows;
    v.out = (char *)osw_data(e.out);
    if (osw_numel(e.out) == 0)
        return 0;
    if (v.n == 0) {
        cudaMemsetAsync(v.out, 0,
                        (size_t)osw_numel(e.out) * (e.out->dtype.bits / 8),
                        (cudaStream_t)call->stream);
        return 0;
    }
    rc = divide(&v);
    if (rc)
        return rc;
    return osw_by_dtype(e.out->dtype, [&](auto t) {
        typedef decltype(t) T;

        return in_chunks(&v) ? add_up<T, osw_chunk<T>::N>(call, &v)
                             : add_up<T, 1>(call, &v);
    });
}

/* shared/sorting_fast.cuh - rows in order on a GPU: tiles of a row are sorted
 * in shared memory, then merged two by two
 *
 * Codes are compared first, then places, so that equal elements keep their
 * order.  Of each run no more elements are kept than the outputs have.
 */
#ifndef OSW_LIBRARY_SORTING_FAST_CUH
#define OSW_LIBRARY_SORTING_FAST_CUH

#include "sorting_codes.cuh"

enum { OSW_SORTING_THREADS = 512 };

/* Elements of a tile; a power of two. */
#ifndef OSW_SORTING_TILE
#define OSW_SORTING_TILE 4096
#endif

template <class U> struct osw_sorting_tile {
    enum { size = sizeof(U) == 8 ? OSW_SORTING_TILE / 2 : OSW_SORTING_TILE };
};

/* Runs of a row, each in order: where[i] is the place of codes[i]. */
template <class U> struct osw_sorting_runs {
    U *codes;
    uint32_t *where;
};

template <class U> struct osw_sorting_tiles_job {
    struct osw_sorting_view v;
    struct osw_sorting_order order;
    struct osw_sorting_runs<U> to; /* of rows that have several tiles */
    int64_t n_tiles, n_parts;      /* tiles of a row, of all rows */
    int part;      /* room of one tile in a block; a power of two */
    int per_block; /* tiles */
};

template <class U>
static __device__ void osw_sorting_swap(U *code, uint32_t *place, int i, int j,
                                        int up)
{
    U a = code[i], b = code[j];
    uint32_t p = place[i], q = place[j];

    if ((b < a || (b == a && q < p)) != up)
        return;
    code[i] = b;
    code[j] = a;
    place[i] = q;
    place[j] = p;
}

/* Each `part` of n elements in order, by bitonic merging. */
template <class U>
static __device__ void osw_sorting_parts(U *code, uint32_t *place, int part,
                                         int n)
{
    for (int run = 2; run <= part; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2) {
            for (int t = (int)threadIdx.x; t < n / 2; t += (int)blockDim.x) {
                int low = t & (apart - 1), i = (t - low) * 2 + low;

                osw_sorting_swap(code, place, i, i + apart,
                                 (i & run) == 0 || run == part);
            }
            __syncthreads();
        }
}

template <class U>
static __global__ void
osw_sorting_tiles(const __grid_constant__ osw_sorting_tiles_job<U> job)
{
    enum { SIZE = osw_sorting_tile<U>::size };
    __shared__ U code[SIZE];
    __shared__ uint32_t place[SIZE];
    const struct osw_sorting_view &v = job.v;
    int held = job.part * job.per_block;

    for (int64_t first = (int64_t)blockIdx.x * job.per_block;
         first < job.n_parts; first += (int64_t)gridDim.x * job.per_block) {
        for (int i = (int)threadIdx.x; i < held; i += (int)blockDim.x) {
            int64_t tile = first + i / job.part, row = tile / job.n_tiles;
            int64_t at = tile % job.n_tiles * SIZE + i % job.part, from[2];

            code[i] = (U) ~(U)0;
            place[i] = UINT32_MAX; /* nothing, after all that there is */
            if (tile >= job.n_parts || at >= v.n)
                continue;
            osw_plain_at<2>(v.axes, row, from);
            code[i] = osw_sorting_code(
                job.order, ((const U *)v.x)[from[1] + at * v.x_step]);
            place[i] = (uint32_t)at;
        }
        __syncthreads();
        osw_sorting_parts(code, place, job.part, held);
        for (int i = (int)threadIdx.x; i < held; i += (int)blockDim.x) {
            int64_t tile = first + i / job.part, row = tile / job.n_tiles;
            int64_t rank = i % job.part;
            int64_t at = row * v.n + tile % job.n_tiles * SIZE + rank;

            if (place[i] == UINT32_MAX || rank >= v.kept)
                continue;
            if (job.n_tiles == 1) {
                osw_sorting_put<U>(v, row, rank, place[i]);
            } else {
                job.to.codes[at] = code[i];
                job.to.where[at] = place[i];
            }
        }
        __syncthreads();
    }
}

template <class U> struct osw_sorting_merge_job {
    struct osw_sorting_view v;
    struct osw_sorting_runs<U> from, to;
    int64_t width, n_runs; /* of a row */
    int64_t most;          /* elements that are kept of a run, at most */
    int last;              /* two runs are left: to the outputs */
};

/* Elements of a run that are kept; 0 where there is no such run. */
template <class U>
static __device__ int64_t
osw_sorting_length(const osw_sorting_merge_job<U> &job, int64_t run)
{
    int64_t left = job.v.n - run * job.width;

    left = left < job.most ? left : job.most;
    return left > 0 ? left : 0;
}

/* How many of the n codes come before one of the run on their right, or, with
 * `left`, of the run on their left: there equal ones come after it.
 */
template <class U>
static __device__ int64_t osw_sorting_rank(const U *codes, int64_t n, U code,
                                           int left)
{
    int64_t low = 0, high = n;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (codes[middle] < code || (!left && codes[middle] == code))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A thread per element finds its rank in the pair of runs. */
template <class U>
static __global__ void
osw_sorting_merge_runs(const __grid_constant__ osw_sorting_merge_job<U> job)
{
    for (int64_t i = osw_plain_first<int64_t>();
         i < job.v.n_rows * job.n_runs * job.most;
         i += osw_plain_step<int64_t>()) {
        int64_t rank = i % job.most, run = i / job.most % job.n_runs;
        int64_t row = i / job.most / job.n_runs, base = row * job.v.n, at;
        U code;

        if (rank >= osw_sorting_length(job, run))
            continue;
        at = base + run * job.width + rank;
        code = job.from.codes[at];
        rank += osw_sorting_rank(job.from.codes + base + (run ^ 1) * job.width,
                                 osw_sorting_length(job, run ^ 1), code,
                                 (int)(run & 1) == 0);
        if (rank >= job.v.kept)
            continue;
        if (job.last) {
            osw_sorting_put<U>(job.v, row, rank, job.from.where[at]);
        } else {
            int64_t to = base + run / 2 * 2 * job.width + rank;

            job.to.codes[to] = code;
            job.to.where[to] = job.from.where[at];
        }
    }
}

/* The two sets of runs in the call's workspace: places first, so that codes of
 * one byte leave them aligned.
 */
template <class U>
static int osw_sorting_room(const osw_call *call, int64_t n,
                            struct osw_sorting_runs<U> *runs)
{
    char *room =
        (char *)osw_workspace(call, (size_t)n * 2 * (sizeof(U) + 4) + 8);

    for (int k = 0; k < 2; k++) {
        runs[k].where = (uint32_t *)room + k * n;
        runs[k].codes = (U *)(room + 8 * (size_t)n) + k * n;
    }
    return room ? 0 : OSW_ERROR;
}

/* Runs of a tile each until all of a row are one. */
template <class U>
static int osw_sorting_merge_all(const osw_call *call,
                                 const struct osw_sorting_view &v,
                                 struct osw_sorting_runs<U> *runs)
{
    osw_sorting_merge_job<U> job = {v};
    int rc = 0;

    for (job.width = osw_sorting_tile<U>::size; !rc && job.width < v.n;
         job.width *= 2) {
        job.from = runs[0];
        job.to = runs[1];
        job.n_runs = (v.n + job.width - 1) / job.width;
        job.most = job.width < v.kept ? job.width : v.kept;
        job.last = job.n_runs == 2;
        rc = osw_plain_launch(call, osw_sorting_merge_runs<U>,
                              v.n_rows * job.n_runs * job.most, job);
        runs[0] = job.to;
        runs[1] = job.from;
    }
    return rc;
}

/* How many tiles of a block: as many as have room, unless that leaves
 * multiprocessors without work.
 */
static inline int osw_sorting_per_block(int64_t n_parts, int part, int size)
{
    int64_t most = size / part, share = n_parts / (2 * osw_sm_count());

    return (int)(share < 1 ? 1 : share < most ? share : most);
}

template <class U>
static int osw_sorting_fast_as(const osw_call *call,
                               const struct osw_sorting &s,
                               const struct osw_sorting_view &v)
{
    enum { SIZE = osw_sorting_tile<U>::size };
    struct osw_sorting_runs<U> runs[2] = {
    };
    osw_sorting_tiles_job<U> job = {v, osw_sorting_order_of(&s)};
    int64_t blocks;
    int rc, threads = 32;

    job.part = 1;
    while (job.part < SIZE && job.part < v.n)
        job.part *= 2;
    job.n_tiles = (v.n + SIZE - 1) / SIZE;
    job.n_parts = v.n_rows * job.n_tiles;
    job.per_block = osw_sorting_per_block(job.n_parts, job.part, SIZE);
    rc = job.n_tiles > 1 ? osw_sorting_room(call, v.n_rows * v.n, runs) : 0;
    if (rc)
        return rc;
    job.to = runs[0];
    while (threads < OSW_SORTING_THREADS &&
           threads * 2 < job.part * job.per_block)
        threads *= 2;
    blocks = (job.n_parts + job.per_block - 1) / job.per_block;
    rc = osw_launch(call, osw_sorting_tiles<U>, dim3(osw_grid(blocks, 1)),
                    dim3((unsigned)threads), 0, job);
    return rc || job.n_tiles == 1 ? rc : osw_sorting_merge_all(call, v, runs);
}

/* rc: what opening the arguments returned. */
static inline int osw_sorting_fast(const osw_call *call,
                                   const struct osw_sorting &s, int rc)
{
    struct osw_sorting_view v;

    if (!rc)
        rc = osw_sorting_view_of(&v, s);
    if (rc || s.x.n_rows * s.values.n == 0)
        return rc;
    if (s.x.n >= UINT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_sorting_by_bits(s.x.tensor->dtype, [&](auto u) {
        return osw_sorting_fast_as<decltype(u)>(call, s, v);
    });
}

#endif /* OSW_LIBRARY_SORTING_FAST_CUH */

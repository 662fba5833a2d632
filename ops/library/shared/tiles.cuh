/* shared/tiles.cuh - transposing copies, by way of tiles
 *
 * Target and source are dense along different axes, columns and rows: a tile
 * is read along the rows into shared memory and written along the columns. What
 * is written in packs leaves the cache first: it came in pieces of rows, which
 * would wait there for what is read (f32: 86 to 98 % of a copy).
 */
#ifndef OSW_LIBRARY_TILES_CUH
#define OSW_LIBRARY_TILES_CUH

#include "axes.cuh"

#define OSW_TILES_WIDE  32   /* words of a tile's side */
#define OSW_TILES_HIGH  8    /* of which a block moves so many at once */
#define OSW_TILES_LEAST 8    /* shorter sides are not worth it */
#define OSW_TILES_MANY  1024 /* blocks that fill the device: larger tiles */
#ifndef OSW_TILES_SPAN
#define OSW_TILES_SPAN 2 /* sides of larger tiles, in warps */
#endif
#define OSW_TILES_AXES    6
#define OSW_TILES_SIDE    64  /* elements of a tile's side, in packs */
#define OSW_TILES_THREADS 256 /* of its block */

struct osw_tiles_job {
    char *to;
    const char *from;
    int64_t rows, cols;
    int64_t to_step, from_step; /* from row to row, column to column */
    int64_t down, across;       /* tiles of all rows, of all columns */
    osw_path<uint64_t, 2, OSW_TILES_AXES> rest; /* the other axes */
    int64_t n_rest;
};

/* A block's tile: its first row and column, and its tensors' first elements. */
struct osw_tiles_place {
    int64_t row, col, at[2];
};

__device__ static inline osw_tiles_place
osw_tiles_find(const osw_tiles_job &job, int side)
{
    int64_t b = (int64_t)blockIdx.x;
    osw_tiles_place place;

    place.col = b % job.across * side;
    b /= job.across;
    place.row = b % job.down * side;
    osw_path_at(job.rest, (uint64_t)(b / job.down), place.at);
    return place;
}

/* One element per word; a tile's side is SPAN times as wide as a warp. */
template <class E, int SPAN>
__global__ void __launch_bounds__(OSW_TILES_WIDE *OSW_TILES_HIGH)
    osw_tiles_kernel(const __grid_constant__ osw_tiles_job job)
{
    constexpr int SIDE = SPAN * OSW_TILES_WIDE;
    constexpr int U = SPAN * SIDE / OSW_TILES_HIGH;
    __shared__ E tile[SIDE][SIDE + 1];
    const int x = threadIdx.x % OSW_TILES_WIDE;
    const int y = threadIdx.x / OSW_TILES_WIDE;
    osw_tiles_place p = osw_tiles_find(job, SIDE);
    const E *from = (const E *)job.from + p.at[1];
    E *to = (E *)job.to + p.at[0];
    E v[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
        int64_t col = p.col + y + u / SPAN * OSW_TILES_HIGH;
        int64_t row = p.row + x + u % SPAN * OSW_TILES_WIDE;

        if (row < job.rows && col < job.cols)
            v[u] = from[col * job.from_step + row];
    }
#pragma unroll
    for (int u = 0; u < U; u++)
        tile[y + u / SPAN * OSW_TILES_HIGH][x + u % SPAN * OSW_TILES_WIDE] =
            v[u];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < U; u++) {
        int down = y + u / SPAN * OSW_TILES_HIGH;
        int across = x + u % SPAN * OSW_TILES_WIDE;

        if (p.row + down < job.rows && p.col + across < job.cols)
            to[(p.row + down) * job.to_step + p.col + across] =
                tile[across][down];
    }
}

OSW_HD static inline uint32_t osw_tiles_low(uint32_t a, uint32_t b)
{
    return (a & 0xffffu) | b << 16;
}

OSW_HD static inline uint32_t osw_tiles_high(uint32_t a, uint32_t b)
{
    return a >> 16 | (b & 0xffff0000u);
}

/* Two elements of 2 bytes per word: a tile's side is twice as many elements.
 * All steps and sizes are even.
 */
__global__ static void __launch_bounds__(OSW_TILES_WIDE *OSW_TILES_HIGH)
    osw_tiles_pairs_kernel(const __grid_constant__ osw_tiles_job job)
{
    __shared__ uint32_t tile[2 * OSW_TILES_WIDE][OSW_TILES_WIDE + 1];
    constexpr int U = 2 * OSW_TILES_WIDE / OSW_TILES_HIGH;
    const int x = threadIdx.x % OSW_TILES_WIDE;
    const int y = threadIdx.x / OSW_TILES_WIDE;
    osw_tiles_place p = osw_tiles_find(job, 2 * OSW_TILES_WIDE);
    const uint16_t *from = (const uint16_t *)job.from + p.at[1];
    uint16_t *to = (uint16_t *)job.to + p.at[0];
    uint32_t v[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
        int64_t col = p.col + y + u * OSW_TILES_HIGH, row = p.row + 2 * x;

        if (row < job.rows && col < job.cols)
            v[u] = *(const uint32_t *)(from + col * job.from_step + row);
    }
#pragma unroll
    for (int u = 0; u < U; u++)
        tile[y + u * OSW_TILES_HIGH][x] = v[u];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < U / 2; u++) {
        int pair = y + u * OSW_TILES_HIGH;
        uint32_t a = tile[2 * x][pair], b = tile[2 * x + 1][pair];
        int64_t row = p.row + 2 * pair, col = p.col + 2 * x;
        uint16_t *q = to + row * job.to_step + col;

        if (row >= job.rows || col >= job.cols)
            continue;
        *(uint32_t *)q = osw_tiles_low(a, b);
        *(uint32_t *)(q + job.to_step) = osw_tiles_high(a, b);
    }
}

/* --- packs of 16 bytes --- */

/* A tile that is read along the rows, 16 bytes at a time, and turned; in words
 * of one element, or two. */
template <class E> struct osw_tiles_turned {
    enum {
        N = 16 / (int)sizeof(E),
        PER_ROW = OSW_TILES_SIDE / N, /* packs */
        U = PER_ROW * OSW_TILES_SIDE / OSW_TILES_THREADS,
        PITCH = OSW_TILES_SIDE * (int)sizeof(E) / 4 + 1
    };
    uint32_t word[OSW_TILES_SIDE][PITCH];

    /* Where pack u of this thread begins; of 2 bytes, packs 0 and 1 are
     * neighbours.
     */
    __device__ static int row(int)
    {
        return (int)threadIdx.x % PER_ROW * N;
    }
    __device__ static int col(int u)
    {
        int at = (int)threadIdx.x / PER_ROW;

        return sizeof(E) == 2 ? 2 * at + u
                              : at + u * (OSW_TILES_THREADS / PER_ROW);
    }
    __device__ void put(const uint4 (&x)[U])
    {
        if constexpr (sizeof(E) == 4) {
#pragma unroll
            for (int u = 0; u < U; u++) {
                const uint32_t v[4] = {x[u].x, x[u].y, x[u].z, x[u].w};

#pragma unroll
                for (int j = 0; j < 4; j++)
                    word[row(u) + j][col(u)] = v[j];
            }
        } else {
            const uint32_t a[4] = {x[0].x, x[0].y, x[0].z, x[0].w};
            const uint32_t b[4] = {x[1].x, x[1].y, x[1].z, x[1].w};

#pragma unroll
            for (int j = 0; j < 4; j++) {
                word[row(0) + 2 * j][col(0) / 2] =
                    __byte_perm(a[j], b[j], 0x5410);
                word[row(0) + 2 * j + 1][col(0) / 2] =
                    __byte_perm(a[j], b[j], 0x7632);
            }
        }
    }
    __device__ uint4 get(int row, int pack) const
    {
        const uint32_t *p = &word[row][pack * 4];

        return make_uint4(p[0], p[1], p[2], p[3]);
    }
};

template <class E>
__global__ void __launch_bounds__(OSW_TILES_THREADS)
    osw_tiles_packs_kernel(const __grid_constant__ osw_tiles_job job)
{
    typedef osw_tiles_turned<E> tile;
    __shared__ tile turned;
    osw_tiles_place p = osw_tiles_find(job, OSW_TILES_SIDE);
    const E *from = (const E *)job.from + p.at[1];
    E *to = (E *)job.to + p.at[0];
    uint4 x[tile::U];

#pragma unroll
    for (int u = 0; u < tile::U; u++) {
        int64_t row = p.row + tile::row(u), col = p.col + tile::col(u);

        if (row < job.rows && col < job.cols)
            x[u] = *(const uint4 *)(from + col * job.from_step + row);
    }
    turned.put(x);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < tile::U; u++) {
        int i = (int)threadIdx.x + u * OSW_TILES_THREADS;
        int down = i / tile::PER_ROW, pack = i % tile::PER_ROW;
        int64_t row = p.row + down, col = p.col + pack * tile::N;

        if (row < job.rows && col < job.cols)
            __stwt((uint4 *)(to + row * job.to_step + col),
                   turned.get(down, pack));
    }
}

/* --- on the host --- */

/* Axis 0 is dense in the target; the one that is in the source, or -1. */
static inline int osw_tiles_axis(const struct osw_axes *a)
{
    if (a->axis[0].step[0] != 1 || a->axis[0].step[1] == 1 ||
        a->axis[0].size < OSW_TILES_LEAST)
        return -1;
    for (int d = 1; d < a->n; d++)
        if (a->axis[d].step[1] == 1 && a->axis[d].size >= OSW_TILES_LEAST)
            return d;
    return -1;
}

/* Can elements of so many bytes be moved n (a power of two) at once? */
static inline int osw_tiles_by(const struct osw_tiles_job *job,
                               const struct osw_axes *rest, uint64_t n,
                               uint64_t bytes)
{
    uint64_t all =
        (uint64_t)(job->rows | job->cols | job->to_step | job->from_step) |
        (uint64_t)(uintptr_t)job->to / bytes |
        (uint64_t)(uintptr_t)job->from / bytes;

    for (int d = 0; d < rest->n; d++)
        all |= (uint64_t)(rest->axis[d].step[0] | rest->axis[d].step[1]);
    return all % n == 0;
}

/* Blocks for tiles of this side, or -1 for too many. */
static inline int64_t osw_tiles_blocks(struct osw_tiles_job *job, int64_t side)
{
    int64_t blocks;

    job->down = (job->rows + side - 1) / side;
    job->across = (job->cols + side - 1) / side;
    blocks = job->down * job->across * job->n_rest;
    return blocks > INT32_MAX ? -1 : blocks;
}

template <class E>
static int osw_tiles_launch(struct osw_tiles_job *job, cudaStream_t stream)
{
    const int threads = OSW_TILES_WIDE * OSW_TILES_HIGH;
    int64_t blocks = osw_tiles_blocks(job, OSW_TILES_SPAN * OSW_TILES_WIDE);

    if (blocks >= OSW_TILES_MANY) {
        osw_tiles_kernel<E, OSW_TILES_SPAN>
            <<<(unsigned)blocks, threads, 0, stream>>>(*job);
        return 0;
    }
    blocks = osw_tiles_blocks(job, OSW_TILES_WIDE);
    if (blocks < 0)
        return OSW_UNSUPPORTED;
    osw_tiles_kernel<E, 1><<<(unsigned)blocks, threads, 0, stream>>>(*job);
    return 0;
}

static inline int osw_tiles_launch_pairs(struct osw_tiles_job *job,
                                         cudaStream_t stream)
{
    int64_t blocks = osw_tiles_blocks(job, 2 * OSW_TILES_WIDE);

    if (blocks < 0)
        return OSW_UNSUPPORTED;
    osw_tiles_pairs_kernel<<<(unsigned)blocks, OSW_TILES_WIDE * OSW_TILES_HIGH,
                             0, stream>>>(*job);
    return 0;
}

template <class E>
static int osw_tiles_launch_packs(struct osw_tiles_job *job,
                                  const struct osw_axes *rest,
                                  cudaStream_t stream)
{
    int64_t blocks = osw_tiles_blocks(job, OSW_TILES_SIDE);

    if (!osw_tiles_by(job, rest, 16 / sizeof(E), sizeof(E)) ||
        blocks < OSW_TILES_MANY)
        return OSW_UNSUPPORTED;
    osw_tiles_packs_kernel<E>
        <<<(unsigned)blocks, OSW_TILES_THREADS, 0, stream>>>(*job);
    return 0;
}

/* to[...] = from[...], of one dtype; OSW_UNSUPPORTED where that does not
 * transpose.
 */
static inline int osw_tiles_copy(const osw_tensor *to, const osw_tensor *from,
                                 cudaStream_t stream)
{
    const osw_tensor *t[2] = {to, from};
    int64_t size = to->dtype.bits / 8;
    const struct osw_axis one = {1, {0}};
    struct osw_tiles_job job;
    struct osw_axes a;
    int r;

    if (size < 2 || size > 8 || osw_numel(to) == 0)
        return OSW_UNSUPPORTED;
    osw_axes_of(&a, to->ndim, to->shape, t, 2, 1);
    r = osw_tiles_axis(&a);
    if (r < 0)
        return OSW_UNSUPPORTED;
    job.to = (char *)osw_data(to);
    job.from = (const char *)osw_data(from);
    job.rows = a.axis[r].size;
    job.cols = a.axis[0].size;
    job.to_step = a.axis[r].step[0];
    job.from_step = a.axis[0].step[1];
    a.axis[0] = a.axis[r] = one;
    osw_axes_join(&a);
    job.n_rest = osw_axes_total(&a);
    if (!osw_path_of(&job.rest, &a))
        return OSW_UNSUPPORTED;
    if (size == 4 && osw_tiles_launch_packs<uint32_t>(&job, &a, stream) == 0)
        return 0;
    if (size == 2 && osw_tiles_by(&job, &a, 2, 2))
        return osw_tiles_launch_pairs(&job, stream);
    if (size == 2)
        return osw_tiles_launch<uint16_t>(&job, stream);
    return size == 4 ? osw_tiles_launch<uint32_t>(&job, stream)
                     : osw_tiles_launch<uint64_t>(&job, stream);
}

#endif /* OSW_LIBRARY_TILES_CUH */

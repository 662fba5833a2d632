/* shared/convolution_exact.cuh - sums of a convolution in double, as products
 * of matrices: the references of cases whose groups are not tiny
 *
 * out [i, j] sums a [i, k] * b [k, j] over k.  Neither matrix is made: lines
 * (i or j) and k say where each begins in its tensor, and how far along each
 * dimension.  A block converts panels of both to double in shared memory, and
 * a thread adds up sixteen elements of the tile.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_EXACT_CUH
#define OSW_LIBRARY_CONVOLUTION_EXACT_CUH

#include "convolution.cuh"

enum {
    OSW_EXACT_TILE = 64,
    OSW_EXACT_K = 16, /* of a panel */
    OSW_EXACT_THREADS = 256,
    OSW_EXACT_SIDE = 16,  /* threads along a side of the tile */
    OSW_EXACT_MINE = 4,   /* elements of a thread along a side */
    OSW_EXACT_WASTE = 16, /* slots of tiles for each element, at most */
};

/* How a number, split into (outer, at[]) by sizes, moves through a tensor. */
struct osw_exact_way {
    int64_t outer; /* stride in elements */
    int by[OSW_CONV_DIMS], from[OSW_CONV_DIMS];
};

/* a or b */
struct osw_exact_side {
    struct osw_conv_image m;
    int64_t group;           /* stride in elements */
    int size[OSW_CONV_DIMS]; /* of the tensor */
    int step[OSW_CONV_DIMS]; /* places between positions: a remainder is none */
    int lines[OSW_CONV_DIMS]; /* how lines are split; k is by terms[] */
    struct osw_exact_way line, k;
};

struct osw_exact {
    struct osw_conv_job job; /* bias and output */
    struct osw_exact_side a, b;
    int terms[OSW_CONV_DIMS];
    int groups, n_i, n_j, n_k;
    int k_part, n_parts;
    int positions; /* of j, in one image of the output */
    double *parts; /* [n_parts, 2, elements]; NULL: there is one part */
};

/* Where something is: an offset, and places along each dimension. */
struct osw_exact_spot {
    int64_t offset;
    int at[OSW_CONV_DIMS];
};

__device__ static inline struct osw_exact_spot
osw_exact_walk(const struct osw_exact_way &w, const int *sizes, unsigned number)
{
    struct osw_exact_spot s;

#pragma unroll
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        unsigned size = (unsigned)sizes[d];

        s.at[d] = (int)(number % size) * w.by[d] + w.from[d];
        number /= size;
    }
    s.offset = number * w.outer;
    return s;
}

/* 0 where there is no such place. */
template <class E>
__device__ static inline double osw_exact_load(const struct osw_exact_side &s,
                                               const struct osw_exact_spot &l,
                                               const struct osw_exact_spot &k)
{
    int64_t offset = l.offset + k.offset;
    int inside = 1;

#pragma unroll
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        int at = l.at[d] + k.at[d];

        if (s.step[d] > 1) {
            inside &= at >= 0 && at % s.step[d] == 0;
            at /= s.step[d];
        }
        inside &= (unsigned)at < (unsigned)s.size[d];
        offset += at * s.m.step[d];
    }
    return inside ? osw_plain_load<double>((const E *)s.m.data + offset) : 0.0;
}

/* The tile of a block. */
struct osw_exact_at {
    int i, j, group, part;
};

__device__ static inline struct osw_exact_at
osw_exact_tile(const struct osw_exact &p)
{
    int tiles_i = (p.n_i + OSW_EXACT_TILE - 1) / OSW_EXACT_TILE;
    int tiles_j = (p.n_j + OSW_EXACT_TILE - 1) / OSW_EXACT_TILE;
    unsigned rest = blockIdx.x;
    struct osw_exact_at at;

    at.i = (int)(rest % tiles_i) * OSW_EXACT_TILE;
    rest /= tiles_i;
    at.j = (int)(rest % tiles_j) * OSW_EXACT_TILE;
    rest /= tiles_j;
    at.part = (int)(rest % p.n_parts);
    at.group = (int)(rest / p.n_parts);
    return at;
}

typedef double osw_exact_panel[OSW_EXACT_K][OSW_EXACT_TILE];

/* Fill both panels with k from k0 on: a thread has one line of each. */
template <class E>
__device__ static inline void
osw_exact_fill(const struct osw_exact &p, const struct osw_exact_at &at, int k0,
               int k_end, osw_exact_panel &a, osw_exact_panel &b)
{
    int line = (int)threadIdx.x % OSW_EXACT_TILE, i = at.i + line,
        j = at.j + line;
    struct osw_exact_spot of_a = osw_exact_walk(p.a.line, p.a.lines, i);
    struct osw_exact_spot of_b = osw_exact_walk(p.b.line, p.b.lines, j);

    of_a.offset += at.group * p.a.group;
    of_b.offset += at.group * p.b.group;
    for (int r = (int)threadIdx.x / OSW_EXACT_TILE; r < OSW_EXACT_K;
         r += OSW_EXACT_THREADS / OSW_EXACT_TILE) {
        unsigned k = (unsigned)(k0 + r);
        int is = k0 + r < k_end;

        a[r][line] = is && i < p.n_i
                         ? osw_exact_load<E>(p.a, of_a,
                                             osw_exact_walk(p.a.k, p.terms, k))
                         : 0.0;
        b[r][line] = is && j < p.n_j
                         ? osw_exact_load<E>(p.b, of_b,
                                             osw_exact_walk(p.b.k, p.terms, k))
                         : 0.0;
    }
}

typedef osw_conv_terms<double> osw_exact_sums[OSW_EXACT_MINE][OSW_EXACT_MINE];

__device__ static inline void osw_exact_multiply(const osw_exact_panel &a,
                                                 const osw_exact_panel &b,
                                                 osw_exact_sums &sums)
{
    int ti = (int)threadIdx.x / OSW_EXACT_SIDE;
    int tj = (int)threadIdx.x % OSW_EXACT_SIDE;

#pragma unroll 4
    for (int k = 0; k < OSW_EXACT_K; k++)
#pragma unroll
        for (int x = 0; x < OSW_EXACT_MINE; x++)
#pragma unroll
            for (int y = 0; y < OSW_EXACT_MINE; y++)
                sums[x][y].add(a[k][ti + x * OSW_EXACT_SIDE] *
                               b[k][tj + y * OSW_EXACT_SIDE]);
}

/* Element [i, j] of a group: its number in the output. */
__device__ static inline int64_t osw_exact_index(const struct osw_exact &p,
                                                 int group, int i, int j)
{
    int64_t image = j / p.positions;

    return ((image * p.groups + group) * p.n_i + i) * p.positions +
           j % p.positions;
}

template <class E>
static __global__ void
osw_exact_kernel(const __grid_constant__ struct osw_exact p)
{
    __shared__ osw_exact_panel a, b;
    struct osw_exact_at at = osw_exact_tile(p);
    int k_end = min(p.n_k - at.part * p.k_part, p.k_part) + at.part * p.k_part;
    int64_t elements = (int64_t)p.groups * p.n_i * p.n_j;
    osw_exact_sums sums = {};

    for (int k = at.part * p.k_part; k < k_end; k += OSW_EXACT_K) {
        osw_exact_fill<E>(p, at, k, k_end, a, b);
        __syncthreads();
        osw_exact_multiply(a, b, sums);
        __syncthreads();
    }
    for (int x = 0; x < OSW_EXACT_MINE; x++)
        for (int y = 0; y < OSW_EXACT_MINE; y++) {
            int i =
                at.i + (int)threadIdx.x / OSW_EXACT_SIDE + x * OSW_EXACT_SIDE;
            int j =
                at.j + (int)threadIdx.x % OSW_EXACT_SIDE + y * OSW_EXACT_SIDE;
            int64_t to = osw_exact_index(p, at.group, i, j);

            if (i >= p.n_i || j >= p.n_j)
                continue;
            if (p.parts) {
                p.parts[2 * at.part * elements + to] = sums[x][y].sum;
                p.parts[(2 * at.part + 1) * elements + to] = sums[x][y].squares;
            } else {
                osw_conv_put<E>(p.job, to, at.group * p.n_i + i, sums[x][y]);
            }
        }
}

/* Add up the parts, in their order; there is no bias. */
template <class E>
static __global__ void
osw_exact_join(const __grid_constant__ struct osw_exact p)
{
    int64_t elements = (int64_t)p.groups * p.n_i * p.n_j;

    for (int64_t i = osw_plain_first<int64_t>(); i < elements;
         i += osw_plain_step<int64_t>()) {
        osw_conv_terms<double> t = {0.0, 0.0};

        for (int part = 0; part < p.n_parts; part++) {
            t.sum += p.parts[2 * part * elements + i];
            t.squares += p.parts[(2 * part + 1) * elements + i];
        }
        osw_conv_put<E>(p.job, i, 0, t);
    }
}

/* --- host --- */

static inline void osw_exact_ints(int *to, const int64_t *from)
{
    for (int d = 0; d < OSW_CONV_DIMS; d++)
        to[d] = from ? (int)from[d] : 1;
}

/* lines: how lines are split (NULL: not). */
static inline struct osw_exact_side
osw_exact_side_of(const struct osw_conv_image &m, const int64_t *size,
                  int64_t group, const int64_t *lines)
{
    struct osw_exact_side s = {};

    s.m = m;
    s.group = group;
    osw_exact_ints(s.size, size);
    osw_exact_ints(s.step, NULL);
    osw_exact_ints(s.lines, lines);
    return s;
}

/* w's side where it is a: lines and k are its channels, in either order. */
static inline void osw_exact_weight(struct osw_exact *p,
                                    const struct osw_conv_image &w, int to_y)
{
    const struct osw_conv &c = p->job.c;

    p->a = osw_exact_side_of(w, c.k, c.n_y * w.batch, NULL);
    p->a.line.outer = to_y ? w.batch : w.channel;
    p->a.k.outer = to_y ? w.channel : w.batch;
    for (int d = 0; d < OSW_CONV_DIMS; d++)
        p->a.k.by[d] = 1;
    osw_exact_ints(p->terms, c.k);
}

/* y [channel, position] = w [channel, (m, tap)] @ x [(m, tap), position] */
static inline void osw_exact_to_y(struct osw_exact *p)
{
    const struct osw_conv &c = p->job.c;
    const struct osw_conv_image x = p->job.a;

    osw_exact_weight(p, p->job.b, 1);
    p->b = osw_exact_side_of(x, c.x, c.n_x * x.channel, c.y);
    p->b.line.outer = x.batch;
    p->b.k.outer = x.channel;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        p->b.line.by[d] = (int)c.stride[d];
        p->b.line.from[d] = -(int)c.padding[d];
        p->b.k.by[d] = (int)c.dilation[d];
    }
}

/* x [channel, place] = w [(m, tap), channel] @ y [(m, tap), place] */
static inline void osw_exact_to_x(struct osw_exact *p)
{
    const struct osw_conv &c = p->job.c;
    const struct osw_conv_image y = p->job.a;

    osw_exact_weight(p, p->job.b, 0);
    p->b = osw_exact_side_of(y, c.y, c.n_y * y.channel, c.x);
    osw_exact_ints(p->b.step, c.stride);
    p->b.line.outer = y.batch;
    p->b.k.outer = y.channel;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        p->b.line.by[d] = 1;
        p->b.line.from[d] = (int)c.padding[d];
        p->b.k.by[d] = -(int)c.dilation[d];
    }
}

/* w [channel, (m, tap)] = y [channel, position] @ x [position, (m, tap)] */
static inline void osw_exact_to_w(struct osw_exact *p)
{
    const struct osw_conv &c = p->job.c;
    const struct osw_conv_image x = p->job.a, y = p->job.b;

    p->a = osw_exact_side_of(y, c.y, c.n_y * y.channel, NULL);
    p->a.line.outer = y.channel;
    p->a.k.outer = y.batch;
    p->b = osw_exact_side_of(x, c.x, c.n_x * x.channel, c.k);
    p->b.line.outer = x.channel;
    p->b.k.outer = x.batch;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        p->a.k.by[d] = 1;
        p->b.line.by[d] = (int)c.dilation[d];
        p->b.line.from[d] = -(int)c.padding[d];
        p->b.k.by[d] = (int)c.stride[d];
    }
    osw_exact_ints(p->terms, c.y);
}

static inline int64_t osw_exact_tiles(int64_t n)
{
    return (n + OSW_EXACT_TILE - 1) / OSW_EXACT_TILE;
}

/* k in parts until the device is full, unless there is a bias.  0, or
 * OSW_ERROR.
 */
static inline int osw_exact_split(const osw_call *call, struct osw_exact *p,
                                  int64_t tiles)
{
    int64_t elements = (int64_t)p->groups * p->n_i * p->n_j;
    int64_t n = (int64_t)osw_sm_count() * 4 / tiles;

    p->n_parts = 1;
    p->k_part = p->n_k;
    if (n > p->n_k / 64)
        n = p->n_k / 64;
    if (n < 2 || p->job.bias)
        return 0;
    p->k_part = (int)((p->n_k + n - 1) / n);
    p->n_parts = (p->n_k + p->k_part - 1) / p->k_part;
    p->parts = (double *)osw_workspace(call, sizeof(double) * 2 * p->n_parts *
                                                 elements);
    return p->parts ? 0 : OSW_ERROR;
}

enum osw_exact_what { OSW_EXACT_Y, OSW_EXACT_X, OSW_EXACT_W };

/* The job as a product.  0: it is one, of sizes that pay and that fit. */
static inline int osw_exact_of(const struct osw_conv_job &job,
                               enum osw_exact_what what, struct osw_exact *p)
{
    const struct osw_conv &c = job.c;
    int64_t taps = osw_conv_prod(c.k);
    int64_t n_y = c.batch * osw_conv_prod(c.y);
    int64_t n_x = c.batch * osw_conv_prod(c.x);
    int64_t n_i = what == OSW_EXACT_X ? c.n_x : c.n_y;
    int64_t n_j = what == OSW_EXACT_W   ? c.n_x * taps
                  : what == OSW_EXACT_X ? n_x
                                        : n_y;
    int64_t n_k = what == OSW_EXACT_W   ? n_y
                  : what == OSW_EXACT_X ? c.n_y * taps
                                        : c.n_x * taps;
    int64_t slots = osw_exact_tiles(n_i) * osw_exact_tiles(n_j) *
                    OSW_EXACT_TILE * OSW_EXACT_TILE;

    if (n_i * n_j == 0 || n_i > INT32_MAX / 2 || n_j > INT32_MAX / 2 ||
        n_k > INT32_MAX / 2 || slots > n_i * n_j * OSW_EXACT_WASTE ||
        slots * c.groups / OSW_EXACT_K > INT32_MAX)
        return OSW_UNSUPPORTED;
    *p = {};
    p->job = job;
    p->groups = (int)c.groups;
    p->n_i = (int)n_i;
    p->n_j = (int)n_j;
    p->n_k = (int)n_k;
    p->positions = (int)(what == OSW_EXACT_W   ? n_j
                         : what == OSW_EXACT_X ? osw_conv_prod(c.x)
                                               : osw_conv_prod(c.y));
    if (what == OSW_EXACT_Y)
        osw_exact_to_y(p);
    else if (what == OSW_EXACT_X)
        osw_exact_to_x(p);
    else
        osw_exact_to_w(p);
    return 0;
}

static int osw_exact_launch(const osw_call *call, struct osw_exact *p)
{
    int64_t tiles =
        osw_exact_tiles(p->n_i) * osw_exact_tiles(p->n_j) * p->groups;

    if (osw_exact_split(call, p, tiles))
        return OSW_ERROR;
    return osw_plain_by_float(p->a.m.dtype, [&](auto e) {
        typedef decltype(e) E;
        int rc = osw_launch(call, osw_exact_kernel<E>,
                            dim3((unsigned)(tiles * p->n_parts)),
                            dim3(OSW_EXACT_THREADS), 0, *p);

        if (rc || !p->parts)
            return rc;
        return osw_plain_launch(call, osw_exact_join<E>,
                                (int64_t)p->groups * p->n_i * p->n_j, *p);
    });
}

#endif /* OSW_LIBRARY_CONVOLUTION_EXACT_CUH */

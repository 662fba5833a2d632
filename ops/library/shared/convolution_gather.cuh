/* shared/convolution_gather.cuh - a convolution as a product of matrices, the
 * second of which is never made
 *
 * For each group, y [channels, positions] = w [channels, k] @ x [k, positions]:
 * k counts channels of x and taps, positions those of all images.  A thread
 * knows the position that its column of a panel belongs to, a table in shared
 * memory says for each k of the panel which channel and tap it is, and elements
 * outside of the image are zeros.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_GATHER_CUH
#define OSW_LIBRARY_CONVOLUTION_GATHER_CUH

#include "convolution.h"
#include "launch.cuh"
#include "pack.cuh"

enum {
    OSW_GATHER_CHANNELS = 4,            /* of a group of y, at least */
    OSW_GATHER_OUTSIDE = INT32_MIN / 2, /* of any image, also twice */
};

struct osw_gather {
    struct osw_conv_image x;
    const char *w;    /* [groups * n_y, k] */
    const char *bias; /* NULL: none */
    int64_t bias_step;
    char *out; /* contiguous */
    int groups, n_x, n_y, k, w_packs;
    int points;             /* eight positions are 16 bytes of x, for each k */
    int64_t positions, all; /* of an image, of the batch */
    int size[OSW_CONV_DIMS], out_size[OSW_CONV_DIMS], taps[OSW_CONV_DIMS];
    int stride[OSW_CONV_DIMS], padding[OSW_CONV_DIMS], dilation[OSW_CONV_DIMS];
};

/* Where one k looks, from the place that a position begins at. */
struct osw_gather_look {
    int by[OSW_CONV_DIMS]; /* in places of each dimension */
    int offset;            /* in elements */
};

struct osw_gather_column {
    int64_t first; /* element of x at the first place, which may be outside */
    int at[OSW_CONV_DIMS];
};

/* k of a panel from k0 on, by one thread each; those beyond the last one look
 * outside of the image.
 */
template <int PANEL>
__device__ static inline void
osw_gather_fill(const struct osw_gather &c, int k0, struct osw_gather_look *to)
{
    int k = k0 + (int)threadIdx.x, rest = k;
    struct osw_gather_look l;

    if (threadIdx.x >= PANEL)
        return;
    l.offset = 0;
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        l.by[d] = rest % c.taps[d] * c.dilation[d];
        l.offset += l.by[d] * (int)c.x.step[d];
        rest /= c.taps[d];
    }
    l.offset += rest * (int)c.x.channel;
    if (k >= c.k)
        l.by[0] = OSW_GATHER_OUTSIDE;
    to[threadIdx.x] = l;
}

/* The position with number j of the batch. */
__device__ static inline struct osw_gather_column
osw_gather_column_of(const struct osw_gather &c, int64_t group, int64_t j)
{
    int64_t image = j / c.positions, offset;
    int rest = (int)(j % c.positions);
    struct osw_gather_column col;

    offset = image * c.x.batch + group * c.n_x * c.x.channel;
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        col.at[d] = rest % c.out_size[d] * c.stride[d] - c.padding[d];
        offset += col.at[d] * c.x.step[d];
        rest /= c.out_size[d];
        if (j >= c.all)
            col.at[d] = OSW_GATHER_OUTSIDE;
    }
    col.first = offset;
    return col;
}

/* Rows first, first + step, ... of a column; E: bits of an element. */
template <class E, int N>
__device__ static inline void osw_gather_fetch(
    const struct osw_gather &c, const struct osw_gather_column &col,
    const struct osw_gather_look *looks, int first, int step, E (&v)[N])
{
    const E *x = (const E *)c.x.data + col.first;

#pragma unroll
    for (int i = 0; i < N; i++) {
        struct osw_gather_look l = looks[first + i * step];
        int inside = 1;

#pragma unroll
        for (int d = 0; d < OSW_CONV_DIMS; d++)
            inside &= (unsigned)(col.at[d] + l.by[d]) < (unsigned)c.size[d];
        v[i] = inside ? x[l.offset] : (E)0;
    }
}

/* The tile of a block, [tile, tile]. */
struct osw_gather_tile {
    int64_t group, i, j;
};

OSW_HD static inline int64_t osw_gather_tiles(const struct osw_gather &c,
                                              int tile)
{
    return (c.n_y + tile - 1) / tile * ((c.all + tile - 1) / tile);
}

__device__ static inline struct osw_gather_tile
osw_gather_tile_of(const struct osw_gather &c, int tile)
{
    int64_t per_group = osw_gather_tiles(c, tile), n = blockIdx.x % per_group;
    int64_t rows = (c.n_y + tile - 1) / tile;
    struct osw_gather_tile t = {blockIdx.x / per_group, n % rows * tile,
                                n / rows * tile};

    return t;
}

/* The element of out for channel i of a group at position j. */
__device__ static inline int64_t osw_gather_place(const struct osw_gather &c,
                                                  int64_t group, int64_t i,
                                                  int64_t j)
{
    int64_t image = j / c.positions, channel = group * c.n_y + i;

    return (image * c.groups * c.n_y + channel) * c.positions + j % c.positions;
}

template <class T>
__device__ static inline void osw_gather_put(const struct osw_gather &c,
                                             int64_t channel, int64_t place,
                                             float v)
{
    if (c.bias)
        v += osw_pack_float(((const T *)c.bias)[channel * c.bias_step]);
    ((T *)c.out)[place] = osw_pack_as<T>(v);
}

/* --- host --- */

/* Elements from the first of an image to the last. */
static inline int64_t osw_gather_reach(const struct osw_conv *c,
                                       const struct osw_conv_image *x)
{
    int64_t reach = (c->groups * c->n_x - 1) * x->channel;

    for (int d = 0; d < OSW_CONV_DIMS; d++)
        reach += (c->x[d] + 2 * c->padding[d]) * x->step[d];
    return reach;
}

/* Are positions of an image elements of x that lie side by side, eight to an
 * aligned pack?  Only with one tap, and without strides and padding.
 */
static inline int osw_gather_is_points(const struct osw_conv *c,
                                       const struct osw_conv_image *x)
{
    int64_t side_by_side = 1;

    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        if (c->k[d] != 1 || c->stride[d] != 1 || c->padding[d] != 0 ||
            (c->x[d] > 1 && x->step[d] != side_by_side))
            return 0;
        side_by_side *= c->x[d];
    }
    return x->dtype.bits == 16 && (uintptr_t)x->data % 16 == 0 &&
           side_by_side % 8 == 0 && x->channel % 8 == 0 && x->batch % 8 == 0;
}

/* 0, or OSW_UNSUPPORTED. */
static inline int osw_gather_of(const struct osw_conv *c, struct osw_gather *j)
{
    int64_t k = c->n_x * osw_conv_prod(c->k);
    int64_t bytes = c->weight->dtype.bits / 8;

    j->x = osw_conv_image_of(c->input);
    if (c->transposed || c->n_y < OSW_GATHER_CHANNELS || k > INT32_MAX / 2 ||
        k < 1 || c->n_y > INT32_MAX / 2 || !osw_is_contiguous(c->weight) ||
        osw_conv_prod(c->y) > INT32_MAX ||
        osw_gather_reach(c, &j->x) > INT32_MAX)
        return OSW_UNSUPPORTED;
    j->w = (const char *)osw_data(c->weight);
    j->bias = c->bias ? (const char *)osw_data(c->bias) : NULL;
    j->bias_step = c->bias ? c->bias->strides[0] : 0;
    j->out = (char *)osw_data(c->out);
    j->groups = (int)c->groups;
    j->n_x = (int)c->n_x;
    j->n_y = (int)c->n_y;
    j->k = (int)k;
    j->w_packs = (uintptr_t)j->w % 16 == 0 && k * bytes % 16 == 0;
    j->points = osw_gather_is_points(c, &j->x);
    j->positions = osw_conv_prod(c->y);
    j->all = j->positions * c->batch;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        j->size[d] = (int)c->x[d];
        j->out_size[d] = (int)c->y[d];
        j->taps[d] = (int)c->k[d];
        j->stride[d] = (int)c->stride[d];
        j->padding[d] = (int)c->padding[d];
        j->dilation[d] = (int)c->dilation[d];
    }
    return 0;
}

/* A block for each tile. */
static inline int osw_gather_launch(const osw_call *call,
                                    void (*kernel)(struct osw_gather),
                                    const struct osw_gather &c, int tile,
                                    int threads, size_t shared_bytes)
{
    int64_t blocks = osw_gather_tiles(c, tile) * c.groups;

    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_launch(call, kernel, dim3((unsigned)blocks),
                      dim3((unsigned)threads), shared_bytes, c);
}

/* Do large tiles fill the device? */
static inline int osw_gather_is_big(const struct osw_gather &c)
{
    return c.n_y > 64 && osw_gather_tiles(c, 128) * c.groups >= osw_sm_count();
}

#endif /* OSW_LIBRARY_CONVOLUTION_GATHER_CUH */

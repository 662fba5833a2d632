/* shared/product.cuh - what all kernels of the product share: operands,
 * the order of tiles, sums of split k, and how results are written
 */
#ifndef OSW_LIBRARY_PRODUCT_CUH
#define OSW_LIBRARY_PRODUCT_CUH

#include "chunks.cuh"
#include "product.h"

/* A matrix per batch: element (i, j) of matrix b lies at
 * b * batch + i * row + j * col elements.
 */
struct osw_operand {
    const char *data; /* NULL: there is none */
    int64_t batch, row, col;
};

struct osw_product_view {
    struct osw_operand a, b, plus; /* [m, k], [k, n], [m, n] */
    char *out;                     /* contiguous */
    osw_dtype dtype;
    int64_t n_batch, m, n, k;
    double alpha, beta;
    /* split k: parts of k_part each; sums [n_parts, n_batch, m, n] */
    int n_parts;
    int64_t k_part;
    float *partial;
    int64_t first_batch;  /* of this launch */
    int a_packs, b_packs; /* can be read 16 bytes at a time */
};

static inline struct osw_operand osw_operand_of(const osw_tensor *t)
{
    struct osw_operand o;

    o.data = (const char *)osw_data(t);
    o.batch = t->ndim == 3 ? t->strides[0] : 0;
    o.row = t->strides[t->ndim - 2];
    o.col = t->strides[t->ndim - 1];
    return o;
}

static inline struct osw_product_view
osw_product_view_of(const struct osw_product *p)
{
    struct osw_matrix plus = osw_product_plus(p);
    struct osw_product_view v;

    memset(&v, 0, sizeof(v));
    v.a = osw_operand_of(p->a);
    v.b = osw_operand_of(p->b);
    v.plus.data = plus.data;
    v.plus.row = plus.row;
    v.plus.col = plus.col;
    v.out = (char *)osw_data(p->out);
    v.dtype = p->out->dtype;
    v.n_batch = p->n_batch;
    v.m = p->m;
    v.n = p->n;
    v.k = p->k;
    v.alpha = p->alpha;
    v.beta = p->beta;
    v.n_parts = 1;
    v.k_part = p->k;
    return v;
}

/* --- tiles --- */

enum { OSW_PRODUCT_GROUP = 8, OSW_PRODUCT_GRID_Y = 65535 };

struct osw_tile_at {
    int64_t i, j; /* first row and column */
};

/* Tiles are numbered down a group of rows of tiles before across, so that
 * blocks that run together share panels in the second-level cache.
 */
OSW_HD static inline struct osw_tile_at
osw_tile_number(int64_t number, int64_t m, int64_t n, int tile_m, int tile_n)
{
    int64_t tiles_m = (m + tile_m - 1) / tile_m;
    int64_t tiles_n = (n + tile_n - 1) / tile_n;
    int64_t per_group = OSW_PRODUCT_GROUP * tiles_n;
    int64_t first = number / per_group * OSW_PRODUCT_GROUP;
    int64_t rows = tiles_m - first;
    struct osw_tile_at at;

    if (rows > OSW_PRODUCT_GROUP)
        rows = OSW_PRODUCT_GROUP;
    at.i = (first + number % per_group % rows) * tile_m;
    at.j = number % per_group / rows * tile_n;
    return at;
}

static inline int64_t osw_tile_count(int64_t m, int64_t n, int tile)
{
    return (m + tile - 1) / tile * ((n + tile - 1) / tile);
}

/* --- results --- */

/* alpha * sum + beta * plus */
template <class T>
__device__ static inline float
osw_product_value(const struct osw_product_view &v, int64_t i, int64_t j,
                  float sum)
{
    float y = (float)v.alpha * sum;

    if (v.plus.data)
        y += (float)v.beta *
             osw_pack_float(
                 ((const T *)v.plus.data)[i * v.plus.row + j * v.plus.col]);
    return y;
}

/* The sum of element (i, j), of this part of k, goes where it belongs. */
template <class T>
__device__ static inline void osw_product_put(const struct osw_product_view &v,
                                              int64_t batch, int part,
                                              int64_t i, int64_t j, float sum)
{
    int64_t at = (batch * v.m + i) * v.n + j;

    if (i >= v.m || j >= v.n)
        return;
    if (v.n_parts > 1)
        v.partial[part * v.n_batch * v.m * v.n + at] = sum;
    else
        ((T *)v.out)[at] = osw_pack_as<T>(osw_product_value<T>(v, i, j, sum));
}

/* Two neighbours of a row in one piece. */
template <class T>
__device__ static inline void
osw_product_put2(const struct osw_product_view &v, int64_t batch, int part,
                 int64_t i, int64_t j, float s0, float s1)
{
    struct alignas(2 * sizeof(T)) pair {
        T x, y;
    };
    int64_t at = (batch * v.m + i) * v.n + j;

    if (v.n_parts == 1 && i < v.m && j + 1 < v.n && v.n % 2 == 0) {
        pair both;

        both.x = osw_pack_as<T>(osw_product_value<T>(v, i, j, s0));
        both.y = osw_pack_as<T>(osw_product_value<T>(v, i, j + 1, s1));
        *(pair *)((T *)v.out + at) = both;
        return;
    }
    osw_product_put<T>(v, batch, part, i, j, s0);
    osw_product_put<T>(v, batch, part, i, j + 1, s1);
}

/* Add up the parts, in their order. */
template <class T> __global__ void osw_product_join(struct osw_product_view v)
{
    int64_t mn = v.m * v.n, n = v.n_batch * mn;
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; at < n;
         at += step) {
        int64_t i = at % mn / v.n, j = at % v.n;
        float sum = 0.0f;

        for (int part = 0; part < v.n_parts; part++)
            sum += v.partial[part * n + at];
        ((T *)v.out)[at] = osw_pack_as<T>(osw_product_value<T>(v, i, j, sum));
    }
}

/* --- what to launch --- */

/* Does the big tile, 128, fill the device?  Else the small one, 64. */
static inline int osw_product_is_big(const struct osw_product_view *v)
{
    return v->m > 64 && v->n > 64 &&
           osw_tile_count(v->m, v->n, 128) * v->n_batch >= osw_sm_count();
}

/* Split k where tiles alone leave multiprocessors idle.  Takes the call's
 * workspace.  0, or OSW_ERROR.
 */
static inline int osw_product_split(const osw_call *call,
                                    struct osw_product_view *v, int tile)
{
    int64_t blocks = osw_tile_count(v->m, v->n, tile) * v->n_batch;
    int64_t parts = 2 * (int64_t)osw_sm_count() / blocks;

    if (parts > v->k / 256)
        parts = v->k / 256;
    if (parts > 32)
        parts = 32;
    if (parts < 2)
        return 0;
    v->k_part = ((v->k + parts - 1) / parts + 63) / 64 * 64;
    v->n_parts = (int)((v->k + v->k_part - 1) / v->k_part);
    v->partial = (float *)osw_workspace(
        call, (size_t)(v->n_parts * v->n_batch * v->m * v->n) * 4);
    return v->partial ? 0 : OSW_ERROR;
}

/* Launch a kernel of one block per tile, batch and part. */
static inline int osw_product_launch(const osw_call *call,
                                     void (*kernel)(struct osw_product_view),
                                     struct osw_product_view v, int tile,
                                     int threads, size_t shared_bytes)
{
    int64_t tiles = osw_tile_count(v.m, v.n, tile);

    if (tiles > INT32_MAX)
        return OSW_UNSUPPORTED;
    while (v.first_batch < v.n_batch) {
        int64_t n = v.n_batch - v.first_batch;

        n = n < OSW_PRODUCT_GRID_Y ? n : OSW_PRODUCT_GRID_Y;
        osw_launch(call, kernel,
                   dim3((unsigned)tiles, (unsigned)n, (unsigned)v.n_parts),
                   dim3((unsigned)threads), shared_bytes, v);
        v.first_batch += n;
    }
    return 0;
}

template <class T>
static inline int osw_product_join_parts(const osw_call *call,
                                         const struct osw_product_view &v)
{
    int64_t n = v.n_batch * v.m * v.n;

    if (v.n_parts == 1)
        return 0;
    return osw_launch(call, osw_product_join<T>,
                      dim3((unsigned)((n + 255) / 256)), dim3(256), 0, v);
}

#endif /* OSW_LIBRARY_PRODUCT_CUH */

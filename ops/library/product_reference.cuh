/* ops/library/product_reference.cuh - the product in double, and the norms of
 * its terms
 *
 * A block makes a tile of [64, 64] from panels in shared memory, a warp [32,
 * 16] of it by the double-precision tensor cores (PTX: mma.m8n8k4.f64), which
 * round every multiply-add as any other would; where there are none, a thread
 * makes 4 by 4 elements.  The squared norm of the terms is the product of the
 * squares.
 */
#ifndef OSW_LIBRARY_PRODUCT_REFERENCE_CUH
#define OSW_LIBRARY_PRODUCT_REFERENCE_CUH

#include "product.cuh"

enum {
    OSW_EXACT_TILE = 64,
    OSW_EXACT_K = 16,
    OSW_EXACT_THREADS = 256,
    OSW_EXACT_EACH = 4,                   /* rows and columns of a thread */
    OSW_EXACT_PITCH = OSW_EXACT_TILE + 4, /* the 4 x 4 doubles that half a warp
                                             loads lie in different banks */
};

struct osw_exact_view {
    struct osw_product_view v;
    double *exact, *norm; /* norm: NULL where not asked for */
};

/* panel[k][i] = element (i0 + i, k0 + k) of a matrix [n, n_k] */
__device__ static inline void osw_exact_load(double (*panel)[OSW_EXACT_PITCH],
                                             osw_dtype t, const char *data,
                                             int64_t stride_i, int64_t stride_k,
                                             int64_t i0, int64_t n, int64_t k0,
                                             int64_t n_k)
{
    for (int x = (int)threadIdx.x; x < OSW_EXACT_TILE * OSW_EXACT_K;
         x += OSW_EXACT_THREADS) {
        /* neighbours in memory go to neighbours in the warp */
        int k = stride_k == 1 ? x % OSW_EXACT_K : x / OSW_EXACT_TILE;
        int i = stride_k == 1 ? x / OSW_EXACT_K : x % OSW_EXACT_TILE;
        int64_t at = (i0 + i) * stride_i + (k0 + k) * stride_k;

        panel[k][i] = i0 + i < n && k0 + k < n_k
                          ? osw_load(t, data + at * (t.bits / 8))
                          : 0.0;
    }
}

__device__ static inline void osw_exact_put(const struct osw_exact_view &e,
                                            int64_t batch, int64_t i, int64_t j,
                                            double sum, double squares)
{
    const struct osw_product_view &v = e.v;
    int64_t at = (batch * v.m + i) * v.n + j;
    double plus = 0.0;

    if (i >= v.m || j >= v.n)
        return;
    if (v.plus.data)
        plus =
            v.beta *
            osw_load(v.dtype, v.plus.data + (i * v.plus.row + j * v.plus.col) *
                                                (v.dtype.bits / 8));
    e.exact[at] = v.plus.data ? v.alpha * sum + plus : v.alpha * sum;
    if (e.norm)
        e.norm[at] = sqrt(v.alpha * v.alpha * squares + plus * plus);
}

/* Sums of a thread, and where its part of the tile is. */
#if __CUDA_ARCH__ >= 800
struct osw_exact_part {
    enum { I = 4, J = 2, EACH = 2 }; /* tiles of [8, 8] of a warp */
    double sum[I][J][EACH], squares[I][J][EACH];

    __device__ static int row(int i)
    {
        return (int)threadIdx.x / 128 * 32 + i * 8 + (int)threadIdx.x % 32 / 4;
    }
    __device__ static int column(int j, int e)
    {
        return (int)threadIdx.x / 32 % 4 * 16 + j * 8 +
               (int)threadIdx.x % 4 * 2 + e;
    }
    __device__ static void mma(double (&c)[EACH], double a, double b)
    {
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
            "{%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[0]), "+d"(c[1])
            : "d"(a), "d"(b));
    }
    __device__ void add(double (*a)[OSW_EXACT_PITCH],
                        double (*b)[OSW_EXACT_PITCH])
    {
        int lane = (int)threadIdx.x % 32;

#pragma unroll
        for (int k0 = 0; k0 < OSW_EXACT_K; k0 += 4) {
            double x[I], y[J];

#pragma unroll
            for (int i = 0; i < I; i++)
                x[i] = a[k0 + lane % 4][row(i)];
#pragma unroll
            for (int j = 0; j < J; j++)
                y[j] = b[k0 + lane % 4]
                        [(int)threadIdx.x / 32 % 4 * 16 + j * 8 + lane / 4];
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++) {
                    mma(sum[i][j], x[i], y[j]);
                    mma(squares[i][j], x[i] * x[i], y[j] * y[j]);
                }
        }
    }
};
#else
struct osw_exact_part {
    enum { I = OSW_EXACT_EACH, J = OSW_EXACT_EACH, EACH = 1 };
    double sum[I][J][EACH], squares[I][J][EACH];

    __device__ static int row(int i)
    {
        return (int)threadIdx.x / 16 * OSW_EXACT_EACH + i;
    }
    __device__ static int column(int j, int e)
    {
        return (int)threadIdx.x % 16 + 16 * j + e;
    }
    __device__ void add(double (*a)[OSW_EXACT_PITCH],
                        double (*b)[OSW_EXACT_PITCH])
    {
        for (int k = 0; k < OSW_EXACT_K; k++)
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++) {
                    double term = a[k][row(i)] * b[k][column(j, 0)];

                    sum[i][j][0] += term;
                    squares[i][j][0] += term * term;
                }
    }
};
#endif

__device__ static inline void osw_exact_tile(const struct osw_exact_view &e,
                                             int64_t batch, int64_t i0,
                                             int64_t j0)
{
    __shared__ double a[OSW_EXACT_K][OSW_EXACT_PITCH];
    __shared__ double b[OSW_EXACT_K][OSW_EXACT_PITCH];
    typedef struct osw_exact_part part;
    const struct osw_product_view &v = e.v;
    int64_t bytes = v.dtype.bits / 8;
    part own = {};

    for (int64_t k0 = 0; k0 < v.k; k0 += OSW_EXACT_K) {
        osw_exact_load(a, v.dtype, v.a.data + batch * v.a.batch * bytes,
                       v.a.row, v.a.col, i0, v.m, k0, v.k);
        osw_exact_load(b, v.dtype, v.b.data + batch * v.b.batch * bytes,
                       v.b.col, v.b.row, j0, v.n, k0, v.k);
        __syncthreads();
        own.add(a, b);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < part::I; i++)
#pragma unroll
        for (int j = 0; j < part::J; j++)
#pragma unroll
            for (int x = 0; x < part::EACH; x++)
                osw_exact_put(e, batch, i0 + part::row(i),
                              j0 + part::column(j, x), own.sum[i][j][x],
                              own.squares[i][j][x]);
}

static __global__ void __launch_bounds__(OSW_EXACT_THREADS)
    osw_exact_kernel(struct osw_exact_view e)
{
    struct osw_tile_at at = osw_tile_number(blockIdx.x, e.v.m, e.v.n,
                                            OSW_EXACT_TILE, OSW_EXACT_TILE);

    for (int64_t batch = blockIdx.y; batch < e.v.n_batch; batch += gridDim.y)
        osw_exact_tile(e, batch, at.i, at.j);
}

static inline int osw_product_reference(const osw_call *call,
                                        const struct osw_product *p)
{
    struct osw_exact_view e;
    int64_t tiles = osw_tile_count(p->m, p->n, OSW_EXACT_TILE);

    e.exact = osw_output_exact(call, 0);
    e.norm = osw_output_norm(call, 0);
    if (!e.exact)
        return OSW_ERROR;
    if (tiles > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (osw_numel(p->out) == 0)
        return 0;
    e.v = osw_product_view_of(p);
    return osw_launch(
        call, osw_exact_kernel,
        dim3((unsigned)tiles,
             (unsigned)(p->n_batch < OSW_PRODUCT_GRID_Y ? p->n_batch
                                                        : OSW_PRODUCT_GRID_Y)),
        dim3(OSW_EXACT_THREADS), 0, e);
}

#endif /* OSW_LIBRARY_PRODUCT_REFERENCE_CUH */

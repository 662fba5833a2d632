/* shared/product_reference.cuh - the product in double, and the norms of
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
    OSW_EXACT_EACH = 4, /* rows and columns of a thread */
    OSW_EXACT_LOADS = OSW_EXACT_TILE * OSW_EXACT_K / OSW_EXACT_THREADS,
    OSW_EXACT_PITCH = OSW_EXACT_TILE + 4, /* the 4 x 4 doubles that half a warp
                                             loads lie in different banks */
};

struct osw_exact_view {
    struct osw_product_view v;
    double *exact, *norm; /* norm: NULL where not asked for */
};

/* A panel: elements (i0 + i, k0 + k) of a matrix [n, n_k]. */
struct osw_exact_panel {
    osw_dtype dtype;
    const char *data;
    int64_t stride_i, stride_k, i0, n, n_k;
    uint64_t bits[OSW_EXACT_LOADS]; /* of a thread's elements, on their way */

    /* Neighbours in memory go to neighbours in the warp. */
    __device__ int k_of(int x) const
    {
        return stride_k == 1 ? x % OSW_EXACT_K : x / OSW_EXACT_TILE;
    }
    __device__ int i_of(int x) const
    {
        return stride_k == 1 ? x / OSW_EXACT_K : x % OSW_EXACT_TILE;
    }

    __device__ static uint64_t load(const char *p, int bytes)
    {
        if (bytes == 2)
            return *(const uint16_t *)p;
        return bytes == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
    }

    /* All loads are on their way before one is waited for. */
    __device__ void fetch(int64_t k0)
    {
        int bytes = dtype.bits / 8;

#pragma unroll
        for (int j = 0; j < OSW_EXACT_LOADS; j++) {
            int x = (int)threadIdx.x + j * OSW_EXACT_THREADS;
            int64_t i = i0 + i_of(x), k = k0 + k_of(x);

            bits[j] =
                i < n && k < n_k
                    ? load(data + (i * stride_i + k * stride_k) * bytes, bytes)
                    : 0;
        }
    }

    __device__ void put(double (*panel)[OSW_EXACT_PITCH]) const
    {
#pragma unroll
        for (int j = 0; j < OSW_EXACT_LOADS; j++) {
            int x = (int)threadIdx.x + j * OSW_EXACT_THREADS;

            uint64_t one = bits[j];

            panel[k_of(x)][i_of(x)] = osw_load(dtype, &one);
        }
    }
};

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
#if __CUDA_ARCH__ >= 900
struct osw_exact_part {
    enum { I = 2, J = 2, EACH = 4 }; /* tiles of [16, 8] of a warp */
    double sum[I][J][EACH], squares[I][J][EACH];

    __device__ static int row(int i, int e)
    {
        return (int)threadIdx.x / 128 * 32 + i * 16 +
               (int)threadIdx.x % 32 / 4 + e / 2 * 8;
    }
    __device__ static int column(int j, int e)
    {
        return (int)threadIdx.x / 32 % 4 * 16 + j * 8 +
               (int)threadIdx.x % 4 * 2 + e % 2;
    }
    __device__ static void mma(double (&c)[EACH], const double (&a)[4],
                               const double (&b)[2])
    {
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    }
    __device__ void add(double (*a)[OSW_EXACT_PITCH],
                        double (*b)[OSW_EXACT_PITCH])
    {
        int lane = (int)threadIdx.x % 32;

#pragma unroll
        for (int k0 = 0; k0 < OSW_EXACT_K; k0 += 8) {
            double y[J][2], y2[J][2];

#pragma unroll
            for (int j = 0; j < J; j++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    y[j][r] =
                        b[k0 + 4 * r + lane % 4]
                         [(int)threadIdx.x / 32 % 4 * 16 + j * 8 + lane / 4];
                    y2[j][r] = y[j][r] * y[j][r];
                }
#pragma unroll
            for (int i = 0; i < I; i++) {
                double x[4], x2[4];

#pragma unroll
                for (int r = 0; r < 4; r++) {
                    x[r] = a[k0 + r / 2 * 4 + lane % 4]
                            [(int)threadIdx.x / 128 * 32 + i * 16 + lane / 4 +
                             r % 2 * 8];
                    x2[r] = x[r] * x[r];
                }
#pragma unroll
                for (int j = 0; j < J; j++) {
                    mma(sum[i][j], x, y[j]);
                    mma(squares[i][j], x2, y2[j]);
                }
            }
        }
    }
};
#else
struct osw_exact_part {
    enum { I = OSW_EXACT_EACH, J = OSW_EXACT_EACH, EACH = 1 };
    double sum[I][J][EACH], squares[I][J][EACH];

    __device__ static int row(int i, int e)
    {
        return (int)threadIdx.x / 16 * OSW_EXACT_EACH + i + e;
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
                    double term = a[k][row(i, 0)] * b[k][column(j, 0)];

                    sum[i][j][0] += term;
                    squares[i][j][0] += term * term;
                }
    }
};
#endif

__device__ static inline void osw_exact_tile(const struct osw_exact_view &view,
                                             int64_t batch, int64_t i0,
                                             int64_t j0)
{
    __shared__ double a[OSW_EXACT_K][OSW_EXACT_PITCH];
    __shared__ double b[OSW_EXACT_K][OSW_EXACT_PITCH];
    typedef struct osw_exact_part part;
    const struct osw_product_view &v = view.v;
    int64_t bytes = v.dtype.bits / 8;
    struct osw_exact_panel x = {v.dtype, v.a.data + batch * v.a.batch * bytes,
                                v.a.row, v.a.col,
                                i0,      v.m,
                                v.k};
    struct osw_exact_panel y = {v.dtype, v.b.data + batch * v.b.batch * bytes,
                                v.b.col, v.b.row,
                                j0,      v.n,
                                v.k};
    part own = {};

    x.fetch(0);
    y.fetch(0);
    for (int64_t k0 = 0; k0 < v.k; k0 += OSW_EXACT_K) {
        x.put(a);
        y.put(b);
        __syncthreads();
        if (k0 + OSW_EXACT_K < v.k) {
            x.fetch(k0 + OSW_EXACT_K);
            y.fetch(k0 + OSW_EXACT_K);
        }
        own.add(a, b);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < part::I; i++)
#pragma unroll
        for (int j = 0; j < part::J; j++)
#pragma unroll
            for (int e = 0; e < part::EACH; e++)
                osw_exact_put(view, batch, i0 + part::row(i, e),
                              j0 + part::column(j, e), own.sum[i][j][e],
                              own.squares[i][j][e]);
}

static __global__ void __launch_bounds__(OSW_EXACT_THREADS, 2)
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

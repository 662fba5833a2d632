/* shared/product_ffma.cuh - the product of f32 matrices in f32
 * arithmetic: no tensor cores, no TF32
 *
 * A block of 256 threads makes a tile of out, [TILE, TILE], a thread
 * [TILE / 16, TILE / 16] elements of it in registers.  Panels of K are read
 * into registers while the one before is multiplied, then put into the other
 * half of shared memory.  Any strides: neighbours in memory are read by
 * neighbours in the warp.
 */
#ifndef OSW_LIBRARY_PRODUCT_FFMA_CUH
#define OSW_LIBRARY_PRODUCT_FFMA_CUH

#include "product.cuh"

enum { OSW_FFMA_K = 8, OSW_FFMA_THREADS = 256, OSW_FFMA_PAD = 4 };

/* Panels are read by 256 threads in EACH rounds.  BY_K: k is contiguous, so
 * that a round is 32 lines of all k; else it is some k of all lines.
 */
template <int TILE, bool BY_K> struct osw_ffma_round {
    enum {
        EACH = TILE * OSW_FFMA_K / OSW_FFMA_THREADS,
        LINES = BY_K ? OSW_FFMA_THREADS / (int)OSW_FFMA_K : 0,
        KS = BY_K ? 0 : OSW_FFMA_THREADS / TILE,
    };
};

/* What a thread reads of one operand; lines are rows of a, columns of b. */
struct osw_ffma_side {
    const float *p;       /* its first element of the next panel */
    int64_t round, panel; /* elements from round to round, panel to panel */
    int line, k;          /* of that element within the panel */
    int n_lines;          /* that there are, of TILE */
};

template <int TILE, bool BY_K>
__device__ static inline struct osw_ffma_side
osw_ffma_side_of(const struct osw_operand &o, int64_t batch, int64_t line,
                 int64_t k, int64_t n_lines, int64_t first, int64_t k0)
{
    typedef osw_ffma_round<TILE, BY_K> R;
    int x = (int)threadIdx.x;
    struct osw_ffma_side s;

    s.line = BY_K ? x / OSW_FFMA_K : x % TILE;
    s.k = BY_K ? x % OSW_FFMA_K : x / TILE;
    s.p = (const float *)o.data + batch * o.batch + (first + s.line) * line +
          (k0 + s.k) * k;
    s.round = BY_K ? R::LINES * line : R::KS * k;
    s.panel = OSW_FFMA_K * k;
    s.n_lines = (int)(n_lines - first < TILE ? n_lines - first : TILE);
    return s;
}

/* The next panel; k_left: what is left of k. */
template <int TILE, bool BY_K>
__device__ static inline void
osw_ffma_read(struct osw_ffma_side &s, int64_t k_left,
              float (&r)[TILE * OSW_FFMA_K / OSW_FFMA_THREADS])
{
    typedef osw_ffma_round<TILE, BY_K> R;

#pragma unroll
    for (int c = 0; c < R::EACH; c++)
        r[c] = s.line + c * R::LINES < s.n_lines && s.k + c * R::KS < k_left
                   ? s.p[c * s.round]
                   : 0.0f;
    s.p += s.panel;
}

template <int TILE, bool BY_K>
__device__ static inline void
osw_ffma_store(const struct osw_ffma_side &s,
               const float (&r)[TILE * OSW_FFMA_K / OSW_FFMA_THREADS],
               float (*panel)[TILE + OSW_FFMA_PAD])
{
    typedef osw_ffma_round<TILE, BY_K> R;

#pragma unroll
    for (int c = 0; c < R::EACH; c++)
        panel[s.k + c * R::KS][s.line + c * R::LINES] = r[c];
}

/* Elements of a thread come in runs of four, 64 apart. */
template <int TILE>
__device__ static inline void osw_ffma_run(const float *line, int first,
                                           float (&r)[TILE / 16])
{
#pragma unroll
    for (int q = 0; q < TILE / 64; q++) {
        float4 four = *(const float4 *)(line + 64 * q + 4 * first);

        r[4 * q] = four.x;
        r[4 * q + 1] = four.y;
        r[4 * q + 2] = four.z;
        r[4 * q + 3] = four.w;
    }
}

template <int TILE>
__device__ static inline void
osw_ffma_panels(const float (*a)[TILE + OSW_FFMA_PAD],
                const float (*b)[TILE + OSW_FFMA_PAD],
                float (&sum)[TILE / 16][TILE / 16])
{
    int ti = (int)threadIdx.x / 16, tj = (int)threadIdx.x % 16;

#pragma unroll
    for (int k = 0; k < OSW_FFMA_K; k++) {
        float ra[TILE / 16], rb[TILE / 16];

        osw_ffma_run<TILE>(a[k], ti, ra);
        osw_ffma_run<TILE>(b[k], tj, rb);
#pragma unroll
        for (int i = 0; i < TILE / 16; i++)
#pragma unroll
            for (int j = 0; j < TILE / 16; j++)
                sum[i][j] = fmaf(ra[i], rb[j], sum[i][j]);
    }
}

template <int TILE, bool A_BY_K, bool B_BY_K>
__global__ void __launch_bounds__(OSW_FFMA_THREADS, 2)
    osw_ffma_kernel(struct osw_product_view v)
{
    enum { EACH = TILE * OSW_FFMA_K / OSW_FFMA_THREADS };
    __shared__ __align__(16) float a[2][OSW_FFMA_K][TILE + OSW_FFMA_PAD];
    __shared__ __align__(16) float b[2][OSW_FFMA_K][TILE + OSW_FFMA_PAD];
    struct osw_tile_at at = osw_tile_number(blockIdx.x, v.m, v.n, TILE, TILE);
    int64_t batch = v.first_batch + blockIdx.y;
    int64_t k0 = blockIdx.z * v.k_part;
    int64_t k_end = k0 + v.k_part < v.k ? k0 + v.k_part : v.k;
    struct osw_ffma_side sa = osw_ffma_side_of<TILE, A_BY_K>(
        v.a, batch, v.a.row, v.a.col, v.m, at.i, k0);
    struct osw_ffma_side sb = osw_ffma_side_of<TILE, B_BY_K>(
        v.b, batch, v.b.col, v.b.row, v.n, at.j, k0);
    float sum[TILE / 16][TILE / 16] = {};
    float ra[EACH], rb[EACH];
    int ti = (int)threadIdx.x / 16, tj = (int)threadIdx.x % 16;

    osw_ffma_read<TILE, A_BY_K>(sa, k_end - k0, ra);
    osw_ffma_read<TILE, B_BY_K>(sb, k_end - k0, rb);
    for (int half = 0; k0 < k_end; half ^= 1) {
        osw_ffma_store<TILE, A_BY_K>(sa, ra, a[half]);
        osw_ffma_store<TILE, B_BY_K>(sb, rb, b[half]);
        __syncthreads(); /* the other half may still be read until here */
        k0 += OSW_FFMA_K;
        osw_ffma_read<TILE, A_BY_K>(sa, k_end - k0, ra);
        osw_ffma_read<TILE, B_BY_K>(sb, k_end - k0, rb);
        osw_ffma_panels<TILE>(a[half], b[half], sum);
    }
#pragma unroll
    for (int i = 0; i < TILE / 16; i++)
#pragma unroll
        for (int j = 0; j < TILE / 16; j += 2) {
            int64_t row = at.i + i / 4 * 64 + ti * 4 + i % 4;
            int64_t col = at.j + j / 4 * 64 + tj * 4 + j % 4;

            osw_product_put2<float>(v, batch, (int)blockIdx.z, row, col,
                                    sum[i][j], sum[i][j + 1]);
        }
}

template <int TILE>
static inline int osw_ffma_order(const osw_call *call,
                                 const struct osw_product_view &v)
{
    int b_by_k = v.b.row == 1 && v.b.col != 1;
    void (*kernel)(struct osw_product_view);

    if (v.a.row == 1 && v.a.col != 1)
        kernel = b_by_k ? osw_ffma_kernel<TILE, false, true>
                        : osw_ffma_kernel<TILE, false, false>;
    else
        kernel = b_by_k ? osw_ffma_kernel<TILE, true, true>
                        : osw_ffma_kernel<TILE, true, false>;
    return osw_product_launch(call, kernel, v, TILE, OSW_FFMA_THREADS, 0);
}

static inline int osw_product_ffma(const osw_call *call,
                                   const struct osw_product *p)
{
    struct osw_product_view v = osw_product_view_of(p);
    int tile = osw_product_is_big(&v) ? 128 : 64;
    int rc;

    if (osw_product_split(call, &v, tile))
        return OSW_ERROR;
    rc = tile == 128 ? osw_ffma_order<128>(call, v)
                     : osw_ffma_order<64>(call, v);
    return rc ? rc : osw_product_join_parts<float>(call, v);
}

#endif /* OSW_LIBRARY_PRODUCT_FFMA_CUH */

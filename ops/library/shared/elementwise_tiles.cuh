/* shared/elementwise_tiles.cuh - one formula over tensors that lie dense
 * along different axes, by way of tiles
 *
 * The output and perhaps an operand are dense along the columns, another
 * operand is dense along the rows: its tile is read along the rows, 16 bytes
 * at a time, and turned in shared memory.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_TILES_CUH
#define OSW_LIBRARY_ELEMENTWISE_TILES_CUH

#include "elementwise_kernels.cuh"
#include "tiles.cuh"

#define OSW_CROSS_LEAST 16 /* shorter sides are not worth it */

template <int K> struct osw_cross_job : osw_elementwise_job<float> {
    int32_t is_across[K]; /* dense along the rows */
    int64_t rows, cols;
    int64_t down, wide;                       /* tiles of these */
    int64_t row_step[K + 1], col_step[K + 1]; /* the output first */
    osw_path<uint64_t, K + 1, OSW_RULE_DIMS> rest;
};

template <class F, class E, int K>
__global__ void __launch_bounds__(OSW_TILES_THREADS)
    osw_cross_kernel(const __grid_constant__ osw_cross_job<K> job)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    typedef osw_tiles_turned<E> tile;
    enum { N = tile::N, U = tile::U };
    __shared__ tile turned[K];
    int64_t b = blockIdx.x, at[K + 1];
    int64_t col0 = b % job.wide * OSW_TILES_SIDE;
    int64_t row0 = b / job.wide % job.down * OSW_TILES_SIDE;
    uint4 x[K][U];
    float c[OSW_RULE_OPERANDS];

    osw_path_at(job.rest, (uint64_t)(b / job.wide / job.down), at);
#pragma unroll
    for (int k = 0; k < K; k++) {
        const E *p = (const E *)job.x[k].data + at[k + 1];

#pragma unroll
        for (int u = 0; u < U; u++) {
            int i = (int)threadIdx.x + u * OSW_TILES_THREADS;
            int64_t row = row0, col = col0;

            row += job.is_across[k] ? tile::row(u) : i / tile::PER_ROW;
            col += job.is_across[k] ? tile::col(u) : i % tile::PER_ROW * N;
            if (row < job.rows && col < job.cols)
                x[k][u] = *(const uint4 *)(p + row * job.row_step[k + 1] +
                                           col * job.col_step[k + 1]);
        }
    }
    for (int k = K; k < OSW_RULE_OPERANDS; k++)
        c[k] = osw_elementwise_number<E>(job, k);
#pragma unroll
    for (int k = 0; k < K; k++)
        if (job.is_across[k])
            turned[k].put(x[k]);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < U; u++) {
        int i = (int)threadIdx.x + u * OSW_TILES_THREADS;
        int down = i / tile::PER_ROW, pack = i % tile::PER_ROW;
        int64_t row = row0 + down, col = col0 + pack * N;
        osw_pack<E, N> in[K];
        osw_pack<R, N> y;

        if (row >= job.rows || col >= job.cols)
            continue;
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (job.is_across[k])
                x[k][u] = turned[k].get(down, pack);
            memcpy(&in[k], &x[k][u], sizeof(in[k]));
        }
        osw_elementwise_pack<F, E, K, N>(&y, in, c);
        *(osw_pack<R, N> *)((R *)job.y.data + at[0] + row * job.row_step[0] +
                            col) = y;
    }
}

/* --- host --- */

/* Is tensor k of the axes dense along axis d, in packs of n elements? */
static inline int osw_cross_is_dense(const struct osw_axes *a, int k, int d,
                                     const void *data, int64_t n)
{
    int dense = a->axis[d].step[k] == 1 && ((uintptr_t)data & 15) == 0;

    for (int i = 0; i < a->n; i++)
        dense &= i == d || a->axis[i].step[k] % n == 0;
    return dense;
}

/* The axis that the operands which are not dense along axis 0 are dense along;
 * 0 where there are none, -1 where they do not agree.
 */
template <class E, int K>
static int osw_cross_axis(const struct osw_axes *a, osw_cross_job<K> *job)
{
    const int64_t n = osw_tiles_turned<E>::N;
    int r = 0;

    for (int k = 0; k < K; k++) {
        const void *data = job->x[k].data;
        int d = 0;

        while (d < a->n && !osw_cross_is_dense(a, k + 1, d, data, n))
            d++;
        if (d == a->n || (d && r && d != r) || a->axis[0].step[k + 1] == 0)
            return -1;
        job->is_across[k] = d != 0;
        r = d ? d : r;
    }
    return r;
}

/* K operands in dtype E, some across; OSW_UNSUPPORTED where tiles do not fit.
 */
template <class F, class E, int K>
static int osw_cross_launch(const struct osw_axes *axes,
                            const osw_elementwise_job<float> &base,
                            cudaStream_t stream)
{
    const int64_t n = osw_tiles_turned<E>::N;
    const struct osw_axis one = {1, {0}};
    osw_cross_job<K> job;
    struct osw_axes a = *axes;
    int64_t blocks;
    int r;

    static_cast<osw_elementwise_job<float> &>(job) = base;
    r = osw_cross_axis<E>(&a, &job);
    if (r < 1 || !osw_cross_is_dense(&a, 0, 0, job.y.data, n) ||
        a.axis[0].size % n || a.axis[r].size % n ||
        a.axis[0].size < OSW_CROSS_LEAST || a.axis[r].size < OSW_CROSS_LEAST)
        return OSW_UNSUPPORTED;
    job.cols = a.axis[0].size;
    job.rows = a.axis[r].size;
    for (int k = 0; k <= K; k++) {
        job.col_step[k] = a.axis[0].step[k];
        job.row_step[k] = a.axis[r].step[k];
    }
    a.axis[0] = a.axis[r] = one;
    osw_axes_join(&a);
    job.wide = (job.cols + OSW_TILES_SIDE - 1) / OSW_TILES_SIDE;
    job.down = (job.rows + OSW_TILES_SIDE - 1) / OSW_TILES_SIDE;
    blocks = job.wide * job.down * osw_axes_total(&a);
    if (blocks > INT32_MAX || !osw_path_of(&job.rest, &a))
        return OSW_UNSUPPORTED;
    osw_cross_kernel<F, E, K>
        <<<(unsigned)blocks, OSW_TILES_THREADS, 0, stream>>>(job);
    return 0;
}

#endif /* OSW_LIBRARY_ELEMENTWISE_TILES_CUH */

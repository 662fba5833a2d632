/* ops/library/nll_loss_forward/nll_loss_forward_fast.cu - a thread to a few
 * rows, all its loads in flight at once; sums in double, in a fixed order
 *
 * Up to ROWS * THREADS rows are one launch of one block; more are summed by
 * several blocks, and these sums by one.
 */
#include "../shared/groups.cuh"
#include "../shared/nll_loss.cuh"

enum { THREADS = 1024, ROWS = 4, BLOCKS = 256 };

struct view {
    struct osw_nll_view in;
    char *out, *total_weight;
    osw_dtype dtype;
    double2 *partial; /* [blocks]: sums of loss and weight */
};

__device__ static void finish(const struct view &v, double2 sum)
{
    int mean = v.in.reduction == OSW_NLL_MEAN;

    osw_store(v.dtype, v.total_weight, v.in.per_row ? 0.0 : sum.y);
    if (!v.in.per_row)
        osw_store(v.dtype, v.out, mean ? sum.x / sum.y : sum.x);
}

/* Loss and weight of rows [first, first + ROWS * step), `step` apart. */
__device__ static double2 lose_rows(const struct view &v, int64_t first,
                                    int64_t step)
{
    double2 sum = make_double2(0.0, 0.0);
    int64_t c[ROWS];
    double x[ROWS];

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int64_t row = first + i * step;

        c[i] = row < v.in.n_rows ? osw_nll_class(v.in, row) : -1;
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int64_t row = first + i * step;

        x[i] = c[i] < 0 ? 0.0
                        : osw_strided_get(&v.in.x, row * v.in.n_classes + c[i]);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int64_t row = first + i * step;
        double weight = c[i] < 0 ? 0.0 : osw_nll_weight(v.in, c[i]);
        double loss = c[i] < 0 ? 0.0 : -weight * x[i];

        if (v.in.per_row && row < v.in.n_rows)
            osw_store(v.dtype, v.out + row * (v.dtype.bits / 8), loss);
        sum.x += loss;
        sum.y += weight;
    }
    return sum;
}

static __global__ void __launch_bounds__(THREADS) lose(struct view v)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    double2 sum = make_double2(0.0, 0.0);

    for (int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
         row < v.in.n_rows; row += ROWS * step) {
        double2 part = lose_rows(v, row, step);

        sum.x += part.x;
        sum.y += part.y;
    }
    sum.x = osw_group_in_block(sum.x, osw_group_add());
    sum.y = osw_group_in_block(sum.y, osw_group_add());
    if (threadIdx.x != 0)
        return;
    if (gridDim.x == 1)
        finish(v, sum);
    else
        v.partial[blockIdx.x] = sum;
}

static __global__ void join(struct view v)
{
    double2 sum = v.partial[threadIdx.x];

    sum.x = osw_group_in_block(sum.x, osw_group_add());
    sum.y = osw_group_in_block(sum.y, osw_group_add());
    if (threadIdx.x == 0)
        finish(v, sum);
}

extern "C" int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    struct view v;
    int rc = osw_nll_loss_open(call, &l, 0);
    int several = l.n_rows > 4 * THREADS * ROWS;

    if (rc)
        return rc;
    if (osw_nll_view_of(&v.in, &l))
        return OSW_UNSUPPORTED;
    v.out = (char *)osw_data(l.out);
    v.total_weight = (char *)osw_data(l.out_weight);
    v.dtype = l.x->dtype;
    v.partial = NULL;
    if (several) {
        v.partial = (double2 *)osw_workspace(call, sizeof(*v.partial) * BLOCKS);
        if (!v.partial)
            return OSW_ERROR;
    }
    osw_launch(call, lose, dim3(several ? BLOCKS : 1), dim3(THREADS), 0, v);
    return several ? osw_launch(call, join, dim3(1), dim3(BLOCKS), 0, v) : 0;
}

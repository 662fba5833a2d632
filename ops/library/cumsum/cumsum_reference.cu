/* ops/library/cumsum/cumsum_reference.cu - in double; integers in int64
 *
 * A block to a row: each thread sums a segment of it, then knows what comes
 * before, and walks over its segment once more.
 */
#include "../shared/strided.cuh"
#include "cumsum.h"

enum { THREADS = 256 };

struct view {
    struct osw_row_view x, out; /* out: of the declared output */
    double *exact, *norm;       /* norm may be NULL; both are for integers */
};

struct sums {
    double sum, squares;
    int64_t integers;
};

__device__ static void add(struct sums *s, osw_dtype t, const void *p)
{
    double v = osw_load(t, p);

    s->sum += v;
    s->squares += v * v;
    s->integers += osw_load_int(t, p);
}

__device__ static void put(const struct view &v, int64_t at,
                           const struct sums *s)
{
    if (!v.exact) {
        ((int64_t *)v.out.outer.data)[at] = s->integers;
        return;
    }
    v.exact[at] = s->sum;
    if (v.norm)
        v.norm[at] = sqrt(s->squares);
}

static __global__ void scan(struct view v)
{
    __shared__ struct sums of[THREADS];
    int64_t each = (v.x.n + THREADS - 1) / THREADS;
    int64_t from = threadIdx.x * each;
    int64_t to = from + each < v.x.n ? from + each : v.x.n;
    osw_dtype t = v.x.outer.dtype;

    for (int64_t row = blockIdx.x; row < v.x.n_rows; row += gridDim.x) {
        int64_t x = osw_strided_offset(&v.x.outer, row);
        int64_t out = osw_strided_offset(&v.out.outer, row);
        struct sums s = {0.0, 0.0, 0};

        for (int64_t i = from; i < to; i++)
            add(&s, t, osw_strided_at(&v.x.outer, x + i * v.x.stride));
        of[threadIdx.x] = s;
        __syncthreads();
        s.sum = s.squares = 0.0;
        s.integers = 0;
        for (unsigned i = 0; i < threadIdx.x; i++) {
            s.sum += of[i].sum;
            s.squares += of[i].squares;
            s.integers += of[i].integers;
        }
        for (int64_t i = from; i < to; i++) {
            add(&s, t, osw_strided_at(&v.x.outer, x + i * v.x.stride));
            put(v, out + i * v.out.stride, &s);
        }
        __syncthreads();
    }
}

extern "C" int cumsum_meta(const osw_call *call)
{
    struct osw_cumsum c = {};

    return osw_cumsum_open(call, &c);
}

extern "C" int cumsum_reference(const osw_call *call)
{
    struct osw_cumsum c = {};
    struct view v;
    int rc = osw_cumsum_open(call, &c);

    if (rc)
        return rc;
    v.exact = c.is_float ? osw_output_exact(call, 0) : NULL;
    v.norm = v.exact ? osw_output_norm(call, 0) : NULL;
    if (c.is_float && !v.exact)
        return OSW_ERROR;
    if (osw_row_view_of(&v.x, &c.x) || osw_row_view_of(&v.out, &c.out))
        return OSW_UNSUPPORTED;
    if (c.x.n_rows * c.x.n == 0)
        return 0;
    return osw_launch(call, scan, dim3(osw_grid(c.x.n_rows, 1)), dim3(THREADS),
                      0, v);
}

/* shared/attention_passes.cuh - attention in three passes: all scores, the
 * softmax of each query, the sums of values; a thread to each result
 *
 * T is the type that is computed in.  Put::put(out, at, v) writes one result;
 * `at` counts them in row-major order.
 */
#ifndef OSW_LIBRARY_ATTENTION_PASSES_CUH
#define OSW_LIBRARY_ATTENTION_PASSES_CUH

#include "attention.h"
#include "strided.cuh"

enum { OSW_ATTENTION_THREADS = 128 };

/* weights [head][query][key] */
template <class T>
__global__ void osw_attention_scores(struct osw_attention a, T *weights)
{
    int64_t n = a.n_heads * a.l * a.s, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; at < n;
         at += step) {
        int64_t j = at % a.s, i = at / a.s % a.l, head = at / a.s / a.l;
        T sum = 0;

        for (int64_t c = 0; c < a.e; c++)
            sum += (T)osw_load(a.q.dtype, osw_heads_at(&a.q, head, i, c)) *
                   (T)osw_load(a.k.dtype, osw_heads_at(&a.k, head, j, c));
        weights[at] = (T)a.scale * sum + (T)osw_attention_bias(&a, head, i, j);
    }
}

/* lse [head][query]: NULL, or takes the logarithm of the sum of exp(score). */
template <class T>
__global__ void osw_attention_softmax(struct osw_attention a, T *weights,
                                      float *lse)
{
    int64_t n = a.n_heads * a.l, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; row < n;
         row += step) {
        T *w = weights + row * a.s, max = -INFINITY, sum = 0;

        for (int64_t j = 0; j < a.s; j++)
            max = w[j] > max ? w[j] : max;
        for (int64_t j = 0; j < a.s; j++) {
            w[j] = w[j] == (T)-INFINITY ? (T)0 : exp(w[j] - max);
            sum += w[j];
        }
        for (int64_t j = 0; j < a.s && sum != 0; j++)
            w[j] /= sum;
        if (lse)
            lse[row] = (float)(max + log(sum));
    }
}

template <class T, class Put>
__global__ void osw_attention_values(struct osw_attention a, const T *weights,
                                     typename Put::to out)
{
    int64_t n = a.n_heads * a.l * a.width;
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; at < n;
         at += step) {
        int64_t c = at % a.width, row = at / a.width;
        const T *w = weights + row * a.s;
        T sum = 0;

        for (int64_t j = 0; j < a.s; j++)
            sum += w[j] *
                   (T)osw_load(a.v.dtype, osw_heads_at(&a.v, row / a.l, j, c));
        Put::put(out, at, sum);
    }
}

template <class T, class Put>
static inline int osw_attention_passes(const osw_call *call,
                                       const struct osw_attention *a,
                                       typename Put::to out, float *lse = NULL)
{
    const dim3 block(OSW_ATTENTION_THREADS);
    int64_t rows = a->n_heads * a->l;
    T *weights;

    if (rows * a->width == 0)
        return 0;
    weights = (T *)osw_workspace(call, sizeof(T) * (size_t)(rows * a->s + 1));
    if (!weights)
        return OSW_ERROR;
    if (a->s > 0) {
        osw_launch(call, osw_attention_scores<T>,
                   dim3(osw_grid(rows * a->s, OSW_ATTENTION_THREADS)), block, 0,
                   *a, weights);
        osw_launch(call, osw_attention_softmax<T>,
                   dim3(osw_grid(rows, OSW_ATTENTION_THREADS)), block, 0, *a,
                   weights, lse);
    }
    return osw_launch(call, osw_attention_values<T, Put>,
                      dim3(osw_grid(rows * a->width, OSW_ATTENTION_THREADS)),
                      block, 0, *a, weights, out);
}

/* Results of the dtype of the output, which is contiguous. */
struct osw_attention_rounded {
    typedef struct osw_heads to;

    static __device__ void put(const struct osw_heads &out, int64_t at, float v)
    {
        osw_store(out.dtype, out.data + at * (out.dtype.bits / 8), v);
    }
};

#endif /* OSW_LIBRARY_ATTENTION_PASSES_CUH */

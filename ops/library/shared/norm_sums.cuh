/* shared/norm_sums.cuh - mean and squares of rows to be normalised
 *
 * A mean of 100 is not exact in float, and where a row hardly varies what is
 * missing is seen in the output, times rstd.  So it is taken away in two parts:
 * the mean in float, and the mean of what that leaves; or it is summed in
 * double.
 */
#ifndef OSW_LIBRARY_NORM_SUMS_CUH
#define OSW_LIBRARY_NORM_SUMS_CUH

#include "chunks.cuh"

struct osw_norm_mean {
    float high, low;
};

__device__ static inline struct osw_norm_mean osw_norm_mean_of(double mean)
{
    struct osw_norm_mean m;

    m.high = (float)mean;
    m.low = (float)(mean - (double)m.high);
    if (isnan(m.low)) /* of an infinite mean */
        m.low = 0.0f;
    return m;
}

__device__ static inline float osw_norm_centred(float x, struct osw_norm_mean m)
{
    return (x - m.high) - m.low;
}

/* Sum of a chunk, what is beside the row being 0.  16 bits: eight of them add
 * up in float as well as exactly, unless they differ by more than what is lost.
 */
template <class T>
__device__ static inline double osw_norm_sum(const osw_chunk<T> &c)
{
    enum { N = osw_chunk<T>::N };
    float v[N];
    double sum = 0.0;

    osw_chunk_to_floats(c, v);
    if constexpr (sizeof(T) == 2) {
        sum = (double)osw_chunk_in_pairs<T>(v);
    } else {
#pragma unroll
        for (int e = 0; e < N; e += 2)
            sum += (double)v[e] + (double)v[e + 1];
    }
    return sum;
}

/* Sum of (x - mean)^2 over what is of the row in a chunk. */
template <class T>
__device__ static inline float osw_norm_squares(const osw_chunk<T> &c,
                                                int first, int n,
                                                struct osw_norm_mean mean)
{
    int whole = first >= 0 && first + osw_chunk<T>::N <= n;
    float v[osw_chunk<T>::N], sum = 0.0f;

    osw_chunk_to_floats(c, v);
#pragma unroll
    for (int e = 0; e < osw_chunk<T>::N; e++) {
        float d = osw_norm_centred(v[e], mean);

        if (whole || (first + e >= 0 && first + e < n))
            sum += d * d;
    }
    return sum;
}

#endif /* OSW_LIBRARY_NORM_SUMS_CUH */

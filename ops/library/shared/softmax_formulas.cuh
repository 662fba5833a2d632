/* shared/softmax_formulas.cuh - what softmax and its kin compute
 *
 * A formula reduces a row to a state (max and sum, or sum) and makes an
 * element of the output from this, x and y.  It has
 *     TWO     there is a second row, y
 *     SUMS_Y  y is needed for the state already
 *     fill()  what elements beside the row count as: nothing
 * and, where TWO is 0, for rows in registers: take(), held_ready() and
 * held_value().  It is one of those that osw_group_join() knows.
 */
#ifndef OSW_LIBRARY_SOFTMAX_FORMULAS_CUH
#define OSW_LIBRARY_SOFTMAX_FORMULAS_CUH

#include "chunks.cuh"
#include "fastmath.cuh"
#include "groups.cuh"

/* exp to the precision that a result of type T can show. */
template <class T> __device__ static inline float osw_exp_for(float x)
{
    return sizeof(T) == 2 ? osw_fastmath_exp2(x * OSW_FASTMATH_LOG2_E)
                          : expf(x);
}

/* Forward, all of them are exp of what is not positive, over their sum: an
 * error of 2^-22 of itself is below what f32 is judged by (1e-5).
 */
__device__ static inline float osw_exp_forward(float x)
{
    return osw_fastmath_exp2(x * OSW_FASTMATH_LOG2_E);
}

/* --- forward: x is the largest element, y the sum of exp(element - x) --- */

template <class T> struct osw_softmax_max_sum {
    enum { TWO = 0, SUMS_Y = 0 };
    typedef float2 State;

    __device__ static float fill()
    {
        return -INFINITY;
    }
    __device__ static State start()
    {
        return make_float2(-INFINITY, 0.0f);
    }
    /* What to take away from elements: the largest, once there is one. */
    __device__ static float safe(float max)
    {
        return max == -INFINITY ? 0.0f : max;
    }
    /* The next N elements of a thread. */
    template <int N>
    __device__ static void add(State &s, const float (&x)[N],
                               const float (&y)[N])
    {
        float max = s.x, base, sum = 0.0f;

        (void)y;
#pragma unroll
        for (int i = 0; i < N; i++)
            max = fmaxf(max, x[i]); /* leaves NaN to the sum */
        base = safe(max);
#pragma unroll
        for (int i = 0; i < N; i++)
            sum += osw_exp_forward(x[i] - base);
        s.y = s.y * osw_exp_forward(s.x - base) + sum;
        s.x = max;
    }
    /* All elements that a thread has of a row; HOLD: they become exp(x - max)
     * of this thread.
     */
    template <int HOLD, int C, int N>
    __device__ static State take(float (&x)[C][N])
    {
        float max[N], sum[N], base;

#pragma unroll
        for (int e = 0; e < N; e++) {
            max[e] = x[0][e];
            sum[e] = 0.0f;
        }
#pragma unroll
        for (int i = 1; i < C; i++)
#pragma unroll
            for (int e = 0; e < N; e++)
                max[e] = fmaxf(max[e], x[i][e]);
#pragma unroll
        for (int step = 1; step < N; step *= 2)
#pragma unroll
            for (int e = 0; e < N; e += 2 * step)
                max[e] = fmaxf(max[e], max[e + step]);
        base = safe(max[0]);
#pragma unroll
        for (int i = 0; i < C; i++)
#pragma unroll
            for (int e = 0; e < N; e++) {
                float power = osw_exp_forward(x[i][e] - base);

                sum[e] += power;
                if (HOLD)
                    x[i][e] = power;
            }
#pragma unroll
        for (int step = 1; step < N; step *= 2)
#pragma unroll
            for (int e = 0; e < N; e += 2 * step)
                sum[e] += sum[e + step];
        return make_float2(max[0], sum[0]);
    }
    template <int WIDTH> __device__ static State join(State s)
    {
        float max = osw_group_in_warp(s.x, WIDTH, osw_group_larger());

        s.y = osw_group_in_warp(s.y * osw_exp_forward(s.x - safe(max)), WIDTH,
                                osw_group_add());
        s.x = max;
        return s;
    }
};

/* Where exp2() will do, the division is part of its argument. */
template <class T> struct osw_softmax_forward : osw_softmax_max_sum<T> {
    __device__ static float2 ready(float2 s)
    {
        return make_float2(s.x, sizeof(T) == 2 ? -log2f(s.y) : 1.0f / s.y);
    }
    __device__ static float value(float2 s, float x, float y)
    {
        (void)y;
        if (sizeof(T) == 2)
            return osw_fastmath_exp2((x - s.x) * OSW_FASTMATH_LOG2_E + s.y);
        return osw_exp_forward(x - s.x) * s.y;
    }
    /* The same with one exp an element: what a thread has taken, times this. */
    template <int C, int N> __device__ static float2 take(float (&x)[C][N])
    {
        return osw_softmax_max_sum<T>::template take<1>(x);
    }
    __device__ static float held_ready(float2 all, float2 own)
    {
        return osw_exp_forward(own.x - osw_softmax_max_sum<T>::safe(all.x)) /
               all.y;
    }
    __device__ static float held_value(float factor, float x)
    {
        return x * factor;
    }
};

template <class T> struct osw_log_softmax_forward : osw_softmax_max_sum<T> {
    __device__ static float2 ready(float2 s)
    {
        return make_float2(s.x, logf(s.y));
    }
    __device__ static float value(float2 s, float x, float y)
    {
        (void)y;
        return x - s.x - s.y;
    }
    template <int C, int N> __device__ static float2 take(float (&x)[C][N])
    {
        return osw_softmax_max_sum<T>::template take<0>(x);
    }
    __device__ static float2 held_ready(float2 all, float2 own)
    {
        (void)own;
        return ready(all);
    }
    __device__ static float held_value(float2 s, float x)
    {
        return x - s.x - s.y;
    }
};

/* --- backward: x is the gradient, y the output ---
 *
 * Terms have both signs: of thousands that cancel a sum may be left that is
 * smaller than the rounding of a float sum, and exp(y) makes that visible.  So
 * sums are in double, of exact terms.
 */

/* The sum of N numbers, in pairs: short chains. */
template <int N>
__device__ static inline double osw_softmax_in_pairs(double (&v)[N])
{
#pragma unroll
    for (int step = 1; step < N; step *= 2)
#pragma unroll
        for (int i = 0; i + step < N; i += 2 * step)
            v[i] += v[i + step];
    return v[0];
}

template <class T> struct osw_softmax_backward : osw_group_total {
    enum { TWO = 1, SUMS_Y = 1 };

    __device__ static float fill()
    {
        return 0.0f;
    }
    /* Products of two elements of 16 bits are exact in float. */
    __device__ static double term(float x, float y)
    {
        return sizeof(T) == 2 ? (double)(x * y) : (double)x * (double)y;
    }
    template <int N>
    __device__ static void add(State &s, const float (&x)[N],
                               const float (&y)[N])
    {
        double terms[N];

#pragma unroll
        for (int i = 0; i < N; i++)
            terms[i] = term(x[i], y[i]);
        s += osw_softmax_in_pairs(terms);
    }
    __device__ static float ready(State s)
    {
        return (float)s;
    }
    __device__ static float value(float sum, float x, float y)
    {
        return y * (x - sum);
    }
};

template <class T> struct osw_log_softmax_backward : osw_group_total {
    enum { TWO = 1, SUMS_Y = 0 };

    __device__ static float fill()
    {
        return 0.0f;
    }
    template <int N>
    __device__ static void add(State &s, const float (&x)[N],
                               const float (&y)[N])
    {
        double terms[N];

        (void)y;
#pragma unroll
        for (int i = 0; i < N; i++)
            terms[i] = (double)x[i];
        s += osw_softmax_in_pairs(terms);
    }
    __device__ static float ready(State s)
    {
        return (float)s;
    }
    __device__ static float value(float sum, float x, float y)
    {
        return x - osw_exp_for<T>(y) * sum;
    }
};

#endif /* OSW_LIBRARY_SOFTMAX_FORMULAS_CUH */

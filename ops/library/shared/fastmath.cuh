/* shared/fastmath.cuh - functions for results of 16 bits, in float
 *
 * A few instructions each, so that memory stays the limit.  Errors are those
 * of the device's ex2.approx and rcp.approx (2^-22 relative) and of the
 * polynomials, at most 1e-6: far below half a unit of f16, 2^-12.  NaN gives
 * NaN.
 */
#ifndef OSW_LIBRARY_FASTMATH_CUH
#define OSW_LIBRARY_FASTMATH_CUH

#include <math.h>
#include <opsweep/elements.h>

#define OSW_FASTMATH_LOG2_E 1.44269504f

OSW_HD static inline float osw_fastmath_exp2(float x)
{
#ifdef __CUDA_ARCH__
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

OSW_HD static inline float osw_fastmath_inverse(float x)
{
#ifdef __CUDA_ARCH__
    float y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0f / x;
#endif
}

/* 1 / (1 + exp(-x)) */
OSW_HD static inline float osw_fastmath_sigmoid(float x)
{
    return osw_fastmath_inverse(1.0f +
                                osw_fastmath_exp2(x * -OSW_FASTMATH_LOG2_E));
}

/* 1 - 2 / (1 + exp(2 x)); near 0 that cancels: x - x^3 / 3 + 2 x^5 / 15. */
OSW_HD static inline float osw_fastmath_tanh(float x)
{
    float e = osw_fastmath_exp2(x * (2.0f * OSW_FASTMATH_LOG2_E));
    float far = 1.0f - 2.0f * osw_fastmath_inverse(1.0f + e);
    float s = x * x;
    float near = x * (1.0f + s * (-0.333333333f + s * 0.133333333f));

    return s < 0.01f ? near : far;
}

/* The normal distribution's tail beyond |x|, erfc(|x| / sqrt(2)) / 2, and its
 * density at x.  The tail is exp(-x^2 / 2) * t * P(t), t = 1 / (1 + p |x|); P
 * was fitted on [0, 14], to 1e-6 of the tail itself.
 */
OSW_HD static inline float osw_fastmath_tail(float x, float *density)
{
    float t = osw_fastmath_inverse(1.0f + 0.36f * fabsf(x));
    float e = osw_fastmath_exp2(x * x * (-0.5f * OSW_FASTMATH_LOG2_E));
    float p = 0.047053583f;

    p = p * t - 0.179755569f;
    p = p * t + 0.18094179f;
    p = p * t + 0.0265576057f;
    p = p * t + 0.139716282f;
    p = p * t + 0.141772985f;
    p = p * t + 0.143713012f;
    *density = 0.398942280f * e;
    return p * t * e;
}

#endif /* OSW_LIBRARY_FASTMATH_CUH */

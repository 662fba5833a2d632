/* shared/vecmath.h - exp, expm1, erf and tanh of floats, for loops that
 * vectorise
 *
 * Straight-line code without tables or calls.  Polynomials were fitted on
 * their intervals in double; the errors are those of the whole functions,
 * measured on every 97th float there is.  NaN gives NaN.
 */
#ifndef OSW_LIBRARY_VECMATH_H
#define OSW_LIBRARY_VECMATH_H

#include <opsweep/elements.h>

/* exp(x) = 2^n * exp(r) with |r| <= ln(2) / 2; within 1.5 units of the
 * last place; overflows to infinity, underflows by way of subnormals to 0.
 */
static inline float osw_vecmath_exp(float x)
{
    const float to_int = 12582912.0f; /* 1.5 * 2^23: adding it rounds */
    float t, n, r, p;
    int32_t i, half;

    x = x > 89.0f ? 89.0f : x;
    x = x < -105.0f ? -105.0f : x;
    t = x * 1.44269504f + to_int;
    n = t - to_int;
    i = (int32_t)(osw_f32_bits(t) - osw_f32_bits(to_int));
    r = x - n * 0.693145752f; /* ln(2) in two parts: the first has few bits */
    r = r - n * 1.42860677e-6f;
    p = 0.00139412092f;
    p = p * r + 0.00836323508f;
    p = p * r + 0.0416663742f;
    p = p * r + 0.166665766f;
    p = p * r + 0.500000003f;
    p = p * r * r + r + 1.0f;
    half = i >> 1; /* 2^n in two factors, for n of 128 and below -126 */
    p *= osw_f32_from_bits((uint32_t)(half + 127) << 23);
    return p * osw_f32_from_bits((uint32_t)(i - half + 127) << 23);
}

/* exp(x) - 1; below 1/2 by its series, since the difference cancels; within 2
 * units of the last place.
 */
static inline float osw_vecmath_expm1(float x)
{
    float p = 1.0f / 40320.0f;

    p = p * x + 1.0f / 5040.0f;
    p = p * x + 1.0f / 720.0f;
    p = p * x + 1.0f / 120.0f;
    p = p * x + 1.0f / 24.0f;
    p = p * x + 1.0f / 6.0f;
    p = p * x + 0.5f;
    p = p * x * x + x;
    return x > -0.5f && x < 0.5f ? p : osw_vecmath_exp(x) - 1.0f;
}

/* erf(x) = 1 - exp(-x^2) * P(1 / (1 + |x| / 2)), odd; error below 4e-7. */
static inline float osw_vecmath_erf(float x)
{
    float a = x < 0.0f ? -x : x, t, p;

    a = a > 6.0f ? 6.0f : a;
    t = 1.0f / (1.0f + 0.5f * a);
    p = -0.0406781576f;
    p = p * t + 0.290045658f;
    p = p * t - 0.77825935f;
    p = p * t + 0.871804422f;
    p = p * t - 0.292538446f;
    p = p * t + 0.419801322f;
    p = p * t + 0.2430586f;
    p = p * t + 0.287034268f;
    p = p * t - 0.000268297323f;
    p = 1.0f - p * osw_vecmath_exp(-a * a);
    return x < 0.0f ? -p : p;
}

/* tanh(x) = e / (e + 2), e = exp(2 x) - 1: small ones keep their precision.
 * Beyond 10 it is 1 or -1; within 3 units of the last place.
 */
static inline float osw_vecmath_tanh(float x)
{
    float e;

    x = x > 10.0f ? 10.0f : x;
    x = x < -10.0f ? -10.0f : x;
    e = osw_vecmath_expm1(2.0f * x);
    return e / (e + 2.0f);
}

#endif /* OSW_LIBRARY_VECMATH_H */

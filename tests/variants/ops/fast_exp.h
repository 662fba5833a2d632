/* tests/variants/ops/fast_exp.h - exp of a float by a polynomial, 1-2 ulp */
#ifndef VARIANTS_FAST_EXP_H
#define VARIANTS_FAST_EXP_H

#include "variants.h"

/* 2^k * p(r), x = k ln 2 + r, |r| <= ln 2 / 2; ln 2 in two parts. */
static inline float fast_exp(float x)
{
    float k, r, p;

    if (x != x || x > 89.0f)
        return x != x ? x : INFINITY;
    if (x < -104.0f)
        return 0.0f;
    k = rintf(x * 1.44269504f);
    r = fmaf(k, -0.693359375f, x);
    r = fmaf(k, 2.12194440e-4f, r);
    p = 1.0f / 5040.0f;
    p = fmaf(p, r, 1.0f / 720.0f);
    p = fmaf(p, r, 1.0f / 120.0f);
    p = fmaf(p, r, 1.0f / 24.0f);
    p = fmaf(p, r, 1.0f / 6.0f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    return ldexpf(p, (int)k);
}

#endif

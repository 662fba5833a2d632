/* ops/library/linalg_vector_norm/terms.h - what an element adds to a norm, in a
 * loop or a kernel
 */
#ifndef OSW_LIBRARY_VECTOR_NORM_TERMS_H
#define OSW_LIBRARY_VECTOR_NORM_TERMS_H

#include "vector_norm.h"

/* 1 where the largest size counts, -1 the smallest, 0 a sum. */
OSW_HD static inline int norm_extreme(double ord)
{
    return ord == INFINITY ? 1 : ord == -INFINITY ? -1 : 0;
}

OSW_HD static inline double norm_begin(double ord)
{
    return ord == -INFINITY ? INFINITY : 0.0;
}

OSW_HD static inline double norm_term(double v, double ord)
{
    double size = v < 0.0 ? -v : v;

    if (ord == 2.0)
        return size * size;
    if (ord == 1.0 || norm_extreme(ord))
        return size;
    if (ord == 0.0)
        return v != 0.0;
    return pow(size, ord);
}

/* Of two parts; NaN stays. */
OSW_HD static inline double norm_join(double a, double b, double ord)
{
    int extreme = norm_extreme(ord);

    if (!extreme)
        return a + b;
    if (a != a || b != b)
        return a != a ? a : b;
    return extreme > 0 ? (b > a ? b : a) : (b < a ? b : a);
}

OSW_HD static inline double norm_end(double sum, double ord)
{
    if (ord == 2.0)
        return sqrt(sum);
    if (ord == 1.0 || ord == 0.0 || norm_extreme(ord))
        return sum;
    return pow(sum, 1.0 / ord);
}

#endif /* OSW_LIBRARY_VECTOR_NORM_TERMS_H */

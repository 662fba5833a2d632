/* shared/trig.h - sine and cosine of floats, for loops that vectorise
 *
 * x = n * pi / 2 + r is split in double, which is exact enough for |x| up to
 * OSW_TRIG_MOST; the Taylor polynomials of sine and cosine on |r| <= pi / 4
 * are cut where their terms fall below half a unit of the last place.
 */
#ifndef OSW_LIBRARY_TRIG_H
#define OSW_LIBRARY_TRIG_H

#include <math.h>
#include <stdint.h>

#define OSW_TRIG_MOST 1e8f /* larger: let the C library do it */

/* sin(x + quarters * pi / 2) */
static inline float osw_trig_sin(float x, int32_t quarters)
{
    const double to_int = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds */
    double n = (double)x * 0.63661977236758134 + to_int - to_int;
    float r = (float)((double)x - n * 1.5707963267948966), z = r * r, s, c;
    int32_t q = (int32_t)n + quarters;

    s = 1.0f / 362880;
    s = s * z - 1.0f / 5040;
    s = s * z + 1.0f / 120;
    s = s * z - 1.0f / 6;
    s = s * z * r + r;
    c = -1.0f / 3628800;
    c = c * z + 1.0f / 40320;
    c = c * z - 1.0f / 720;
    c = c * z + 1.0f / 24;
    c = c * z - 0.5f;
    c = c * z + 1.0f;
    s = q & 1 ? c : s;
    return q & 2 ? -s : s;
}

/* Are all of x [n] within reach?  Not where one is NaN or infinite. */
static inline int osw_trig_fits(const float *x, int64_t n)
{
    int beyond = 0;
    int64_t i;

    for (i = 0; i < n; i++)
        beyond |= !(x[i] >= -OSW_TRIG_MOST && x[i] <= OSW_TRIG_MOST);
    return !beyond;
}

#endif /* OSW_LIBRARY_TRIG_H */

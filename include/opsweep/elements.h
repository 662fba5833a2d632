/* opsweep/elements.h - any element of any tensor, as a double
 *
 * For references, which must be obviously right rather than fast: read
 * and write elements whatever their dtype and strides.  Optional; stands on
 * op.h.  The 16-bit conversions here are the ones opsweep itself uses.
 */
#ifndef OPSWEEP_ELEMENTS_H
#define OPSWEEP_ELEMENTS_H

#include <opsweep/op.h>
#include <string.h>

#ifdef __CUDACC__
#define OSW_HD __host__ __device__
#else
#define OSW_HD
#endif

#ifdef __cplusplus
extern "C" {
#endif

OSW_HD static inline uint32_t osw_f32_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

OSW_HD static inline float osw_f32_from_bits(uint32_t u)
{
    float f;

    memcpy(&f, &u, 4);
    return f;
}

OSW_HD static inline uint64_t osw_f64_bits(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    return u;
}

/* Round a double to a float with p < 24 bits of precision still to be cut,
 * without rounding twice: to odd, so that the next rounding sees a sticky bit.
 */
OSW_HD static inline float osw_f64_to_f32_odd(double d)
{
    float f = (float)d;
    uint32_t u = osw_f32_bits(f);

    if (d != d || (double)f == d)
        return f;
    if (u & 1) /* odd already: an inexact odd neighbour is the right one */
        return f;
    /* Even and inexact: step to the odd neighbour on d's side of f. */
    if ((u & 0x7fffffffu) == 0)
        return osw_f32_from_bits((osw_f64_bits(d) >> 63 ? 0x80000000u : 0) | 1);
    if ((u & 0x7fffffffu) == 0x7f800000u) /* overflowed: the largest is odd */
        return osw_f32_from_bits(u - 1);
    if ((d > (double)f) == (f > 0))
        return osw_f32_from_bits(u + 1);
    return osw_f32_from_bits(u - 1);
}

/* Round to nearest even; NaN keeps its sign and high payload, quietened. */
OSW_HD static inline uint16_t osw_f32_to_bf16(float f)
{
    uint32_t u = osw_f32_bits(f);

    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)((u >> 16) | 0x40u);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

OSW_HD static inline float osw_bf16_to_f32(uint16_t h)
{
    return osw_f32_from_bits((uint32_t)h << 16);
}

/* Round to nearest even, subnormals included; overflow gives infinity. */
OSW_HD static inline uint16_t osw_f32_to_f16(float f)
{
    uint32_t u = osw_f32_bits(f);
    uint32_t sign = (u >> 16) & 0x8000u;

    u &= 0x7fffffffu;
    if (u > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | ((u >> 13) & 0x3ffu));
    if (u >= 0x477ff000u) /* 65520 and up */
        return (uint16_t)(sign | 0x7c00u);
    if (u < 0x38800000u) { /* below 2^-14: subnormal */
        uint32_t shift = 126u - (u >> 23);
        uint32_t m = (u & 0x7fffffu) | 0x800000u;
        uint32_t q, rest, half;

        if (shift > 24u)
            return (uint16_t)sign;
        q = m >> shift;
        rest = m & ((1u << shift) - 1u);
        half = 1u << (shift - 1u);
        q += rest > half || (rest == half && (q & 1u));
        return (uint16_t)(sign | q);
    }
    u += 0xfffu + ((u >> 13) & 1u);
    return (uint16_t)(sign | ((u - 0x38000000u) >> 13));
}

OSW_HD static inline float osw_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t e = (h >> 10) & 0x1fu, m = h & 0x3ffu;

    if (e == 31)
        return osw_f32_from_bits(sign | 0x7f800000u | (m << 13) |
                                 (m ? 0x400000u : 0u));
    if (e)
        return osw_f32_from_bits(sign | ((e + 112u) << 23) | (m << 13));
    {
        /* m * 2^-24, exact */
        float f = (float)m * 5.9604644775390625e-08f;

        return sign ? -f : f;
    }
}

/* One element at `p`.  Complex reads its real part; c32 reads 0. */
OSW_HD static inline double osw_load(osw_dtype t, const void *p)
{
    switch (t.code * 256 + t.bits) {
    case OSW_FLOAT * 256 + 64: {
        double v;
        memcpy(&v, p, 8);
        return v;
    }
    case OSW_FLOAT * 256 + 32: {
        float v;
        memcpy(&v, p, 4);
        return (double)v;
    }
    case OSW_FLOAT * 256 + 16: {
        uint16_t v;
        memcpy(&v, p, 2);
        return (double)osw_f16_to_f32(v);
    }
    case OSW_BFLOAT * 256 + 16: {
        uint16_t v;
        memcpy(&v, p, 2);
        return (double)osw_bf16_to_f32(v);
    }
    case OSW_INT * 256 + 64: {
        int64_t v;
        memcpy(&v, p, 8);
        return (double)v;
    }
    case OSW_INT * 256 + 32: {
        int32_t v;
        memcpy(&v, p, 4);
        return (double)v;
    }
    case OSW_INT * 256 + 16: {
        int16_t v;
        memcpy(&v, p, 2);
        return (double)v;
    }
    case OSW_INT * 256 + 8:
        return (double)*(const int8_t *)p;
    case OSW_UINT * 256 + 8:
        return (double)*(const uint8_t *)p;
    case OSW_BOOL * 256 + 8:
        return *(const uint8_t *)p ? 1.0 : 0.0;
    case OSW_COMPLEX * 256 + 64: {
        float v;
        memcpy(&v, p, 4);
        return (double)v;
    }
    case OSW_COMPLEX * 256 + 128: {
        double v;
        memcpy(&v, p, 8);
        return v;
    }
    default:
        return 0.0;
    }
}

/* Toward zero; what does not fit gives the nearest integer that does, NaN 0. */
OSW_HD static inline int64_t osw_f64_to_int(double d)
{
    if (!(d > -9223372036854775808.0))
        return d != d ? 0 : INT64_MIN;
    return d < 9223372036854775808.0 ? (int64_t)d : INT64_MAX;
}

/* The same for integers and bool, exact beyond 2^53. */
OSW_HD static inline int64_t osw_load_int(osw_dtype t, const void *p)
{
    if (t.code == OSW_INT && t.bits == 64) {
        int64_t v;

        memcpy(&v, p, 8);
        return v;
    }
    return osw_f64_to_int(osw_load(t, p));
}

/* Write one element, rounded once, to nearest even; integers are truncated
 * (osw_f64_to_int, then to their width).  Complex gets an imaginary part of 0.
 */
OSW_HD static inline void osw_store(osw_dtype t, void *p, double d)
{
    switch (t.code * 256 + t.bits) {
    case OSW_FLOAT * 256 + 64:
        memcpy(p, &d, 8);
        return;
    case OSW_FLOAT * 256 + 32: {
        float v = (float)d;
        memcpy(p, &v, 4);
        return;
    }
    case OSW_FLOAT * 256 + 16: {
        uint16_t v = osw_f32_to_f16(osw_f64_to_f32_odd(d));
        memcpy(p, &v, 2);
        return;
    }
    case OSW_BFLOAT * 256 + 16: {
        uint16_t v = osw_f32_to_bf16(osw_f64_to_f32_odd(d));
        memcpy(p, &v, 2);
        return;
    }
    case OSW_INT * 256 + 64: {
        int64_t v = osw_f64_to_int(d);
        memcpy(p, &v, 8);
        return;
    }
    case OSW_INT * 256 + 32: {
        int32_t v = (int32_t)osw_f64_to_int(d);
        memcpy(p, &v, 4);
        return;
    }
    case OSW_INT * 256 + 16: {
        int16_t v = (int16_t)osw_f64_to_int(d);
        memcpy(p, &v, 2);
        return;
    }
    case OSW_INT * 256 + 8:
        *(int8_t *)p = (int8_t)osw_f64_to_int(d);
        return;
    case OSW_UINT * 256 + 8:
        *(uint8_t *)p = (uint8_t)osw_f64_to_int(d);
        return;
    case OSW_BOOL * 256 + 8:
        *(uint8_t *)p = d != 0.0;
        return;
    case OSW_COMPLEX * 256 + 64: {
        float v[2];
        v[0] = (float)d;
        v[1] = 0.0f;
        memcpy(p, v, 8);
        return;
    }
    case OSW_COMPLEX * 256 + 128: {
        double v[2];
        v[0] = d;
        v[1] = 0.0;
        memcpy(p, v, 16);
        return;
    }
    default:
        return;
    }
}

/* Offset in elements of the `linear`-th element in row-major order. */
OSW_HD static inline int64_t osw_offset(const osw_tensor *t, int64_t linear)
{
    int64_t at = 0;
    int32_t d;

    for (d = t->ndim - 1; d >= 0; d--) {
        at += linear % t->shape[d] * t->strides[d];
        linear /= t->shape[d];
    }
    return at;
}

/* The same where t is broadcast to shape [ndim] (trailing dimensions line
 * up, size 1 repeats); `linear` counts in that shape.
 */
OSW_HD static inline int64_t osw_offset_in(const osw_tensor *t, int32_t ndim,
                                           const int64_t *shape, int64_t linear)
{
    int64_t at = 0;
    int32_t d, lead = ndim - t->ndim;

    for (d = ndim - 1; d >= lead; d--) {
        int64_t i = linear % shape[d];

        if (t->shape[d - lead] != 1)
            at += i * t->strides[d - lead];
        linear /= shape[d];
    }
    return at;
}

/* Address of the element at an offset in elements. */
OSW_HD static inline void *osw_at(const osw_tensor *t, int64_t offset)
{
    return (char *)t->data + t->byte_offset +
           offset * (int64_t)(t->dtype.bits / 8);
}

/* The `linear`-th element in row-major order, read or written. */
OSW_HD static inline double osw_get(const osw_tensor *t, int64_t linear)
{
    return osw_load(t->dtype, osw_at(t, osw_offset(t, linear)));
}

OSW_HD static inline int64_t osw_get_int(const osw_tensor *t, int64_t linear)
{
    return osw_load_int(t->dtype, osw_at(t, osw_offset(t, linear)));
}

OSW_HD static inline void osw_set(const osw_tensor *t, int64_t linear, double v)
{
    osw_store(t->dtype, osw_at(t, osw_offset(t, linear)), v);
}

#ifdef __cplusplus
}
#endif

#endif /* OPSWEEP_ELEMENTS_H */

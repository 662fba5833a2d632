/* shared/convert.h - runs of f32, f16 and bf16 elements as float
 *
 * What the fast implementations share: they compute in float whatever the
 * dtype, and convert whole runs at a time.
 */
#ifndef OSW_LIBRARY_CONVERT_H
#define OSW_LIBRARY_CONVERT_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

/* Vectors of f16 and f32, and what converts them; <immintrin.h> has names for
 * it, and takes a compiler 0.3 s.
 */
#if defined(__AVX512F__)
typedef short osw_convert_16_halves __attribute__((vector_size(32)));
typedef float osw_convert_16_floats __attribute__((vector_size(64)));
#ifdef __clang__ /* the type of a mask of all lanes */
typedef uint16_t osw_convert_lanes;
#else
typedef int16_t osw_convert_lanes;
#endif
#endif
#if defined(__F16C__)
typedef short osw_convert_8_halves __attribute__((vector_size(16)));
typedef float osw_convert_8_floats __attribute__((vector_size(32)));
#endif
#define OSW_CONVERT_NEAREST 8 /* to nearest even, without exceptions */

static inline int osw_convert_is_f16(osw_dtype t)
{
    return t.code == OSW_FLOAT && t.bits == 16;
}

static inline int osw_convert_is_bf16(osw_dtype t)
{
    return t.code == OSW_BFLOAT && t.bits == 16;
}

static inline int osw_convert_is_f32(osw_dtype t)
{
    return t.code == OSW_FLOAT && t.bits == 32;
}

/* Is it a dtype that the functions below know? */
static inline int osw_convert_knows(osw_dtype t)
{
    return osw_convert_is_f32(t) || osw_convert_is_f16(t) ||
           osw_convert_is_bf16(t);
}

static inline int osw_convert_same(osw_dtype a, osw_dtype b)
{
    return a.code == b.code && a.bits == b.bits;
}

static inline void osw_convert_from_f16(const uint16_t *src, int64_t n,
                                        float *dst)
{
    int64_t i = 0;

#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        osw_convert_16_floats f = {0.0f};
        osw_convert_16_halves h;

        memcpy(&h, src + i, sizeof(h));
        f = __builtin_ia32_vcvtph2ps512_mask(h, f, (osw_convert_lanes)-1, 4);
        memcpy(dst + i, &f, sizeof(f));
    }
#endif
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        osw_convert_8_halves h;
        osw_convert_8_floats f;

        memcpy(&h, src + i, sizeof(h));
        f = __builtin_ia32_vcvtph2ps256(h);
        memcpy(dst + i, &f, sizeof(f));
    }
#endif
    for (; i < n; i++)
        dst[i] = osw_f16_to_f32(src[i]);
}

static inline void osw_convert_to_f16(const float *src, int64_t n,
                                      uint16_t *dst)
{
    int64_t i = 0;

#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        osw_convert_16_halves h = {0};
        osw_convert_16_floats f;

        memcpy(&f, src + i, sizeof(f));
        h = __builtin_ia32_vcvtps2ph512_mask(f, OSW_CONVERT_NEAREST, h,
                                             (uint16_t)-1);
        memcpy(dst + i, &h, sizeof(h));
    }
#endif
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        osw_convert_8_floats f;
        osw_convert_8_halves h;

        memcpy(&f, src + i, sizeof(f));
        h = __builtin_ia32_vcvtps2ph256(f, OSW_CONVERT_NEAREST);
        memcpy(dst + i, &h, sizeof(h));
    }
#endif
    for (; i < n; i++)
        dst[i] = osw_f32_to_f16(src[i]);
}

/* One element as float. */
static inline float osw_convert_one(osw_dtype t, const char *p)
{
    uint16_t h;
    float f;

    if (osw_convert_is_f32(t)) {
        memcpy(&f, p, 4);
        return f;
    }
    memcpy(&h, p, 2);
    return osw_convert_is_f16(t) ? osw_f16_to_f32(h) : osw_bf16_to_f32(h);
}

/* Read n elements, `stride` elements apart, as float: dst [n]. */
static inline void osw_convert_read(osw_dtype t, const void *src,
                                    int64_t stride, int64_t n, float *dst)
{
    const char *p = (const char *)src;
    const uint16_t *h = (const uint16_t *)src;
    int64_t i, step = stride * (int64_t)(t.bits / 8);

    if (stride == 1 && osw_convert_is_f32(t)) {
        memcpy(dst, src, (size_t)n * 4);
    } else if (stride == 1 && osw_convert_is_f16(t)) {
        osw_convert_from_f16(h, n, dst);
    } else if (stride == 1) {
        for (i = 0; i < n; i++)
            dst[i] = osw_bf16_to_f32(h[i]);
    } else {
        for (i = 0; i < n; i++)
            dst[i] = osw_convert_one(t, p + i * step);
    }
}

/* Write n floats as elements, `stride` elements apart, rounded once. */
static inline void osw_convert_write(osw_dtype t, const float *src, int64_t n,
                                     int64_t stride, void *dst)
{
    char *p = (char *)dst;
    uint16_t *h = (uint16_t *)dst;
    int64_t i, step = stride * (int64_t)(t.bits / 8);

    if (stride == 1 && osw_convert_is_f32(t)) {
        memcpy(dst, src, (size_t)n * 4);
    } else if (stride == 1 && osw_convert_is_f16(t)) {
        osw_convert_to_f16(src, n, h);
    } else if (stride == 1) {
        for (i = 0; i < n; i++)
            h[i] = osw_f32_to_bf16(src[i]);
    } else if (osw_convert_is_f32(t)) {
        for (i = 0; i < n; i++)
            memcpy(p + i * step, src + i, 4);
    } else {
        for (i = 0; i < n; i++) {
            uint16_t v = osw_convert_is_f16(t) ? osw_f32_to_f16(src[i])
                                               : osw_f32_to_bf16(src[i]);

            memcpy(p + i * step, &v, 2);
        }
    }
}

/* Read n elements of t from the `at`-th on, in row-major order, as float. */
static inline void osw_convert_read_flat(const osw_tensor *t, int64_t at,
                                         int64_t n, float *dst)
{
    if (osw_is_contiguous(t))
        osw_convert_read(t->dtype, osw_at(t, at), 1, n, dst);
    else
        for (int64_t i = 0; i < n; i++)
            dst[i] = osw_convert_one(
                t->dtype, (const char *)osw_at(t, osw_offset(t, at + i)));
}

#endif /* OSW_LIBRARY_CONVERT_H */

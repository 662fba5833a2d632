/* shared/pack.cuh - elements on the device, one and several at a time
 *
 * Element types are float, __half, __nv_bfloat16, and osw_truth for bool.  All
 * of them are computed with as float.
 */
#ifndef OSW_LIBRARY_PACK_CUH
#define OSW_LIBRARY_PACK_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <opsweep/elements.h>

typedef __half osw_f16;
typedef __nv_bfloat16 osw_bf16;

struct osw_truth {
    uint8_t byte;
};

/* N elements that are loaded or stored at once. */
template <class E, int N> struct alignas(sizeof(E) * N) osw_pack {
    E v[N];
};

template <class E> struct osw_pack_type;

template <> struct osw_pack_type<float> {
    enum { code = OSW_FLOAT };
};

template <> struct osw_pack_type<__half> {
    enum { code = OSW_FLOAT };
};

template <> struct osw_pack_type<__nv_bfloat16> {
    enum { code = OSW_BFLOAT };
};

template <> struct osw_pack_type<osw_truth> {
    enum { code = OSW_BOOL };
};

/* Are these elements of type E? */
template <class E> static inline int osw_pack_is(osw_dtype t)
{
    return t.code == osw_pack_type<E>::code && t.bits == 8 * (int)sizeof(E);
}

OSW_HD static inline float osw_pack_float(float v)
{
    return v;
}

OSW_HD static inline float osw_pack_float(__half v)
{
    return __half2float(v);
}

OSW_HD static inline float osw_pack_float(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}

/* Two floats to two elements, each rounded to nearest even; `to` is aligned to
 * both of them.  16 bits are written as one word: of halves, the compiler puts
 * chunks together in three instructions more an element.
 */
OSW_HD static inline void osw_pack_two(float *to, float a, float b)
{
    to[0] = a;
    to[1] = b;
}

OSW_HD static inline void osw_pack_two(__half *to, float a, float b)
{
    __half2 v = __floats2half2_rn(a, b);

    memcpy((void *)to, &v, sizeof(v));
}

OSW_HD static inline void osw_pack_two(__nv_bfloat16 *to, float a, float b)
{
    __nv_bfloat162 v = __floats2bfloat162_rn(a, b);

    memcpy((void *)to, &v, sizeof(v));
}

OSW_HD static inline void osw_pack_two(osw_truth *to, float a, float b)
{
    to[0].byte = a != 0.0f;
    to[1].byte = b != 0.0f;
}

/* One float to an element. */
template <class E> OSW_HD static inline E osw_pack_as(float v)
{
    alignas(4) E two[2];

    osw_pack_two(two, v, v);
    return two[0];
}

/* --- any dtype, known only at run time; aligned to its elements --- */

OSW_HD static inline uint64_t osw_pack_bits(osw_dtype t, const void *p,
                                            int64_t at)
{
    if (t.bits == 8)
        return ((const uint8_t *)p)[at];
    if (t.bits == 16)
        return ((const uint16_t *)p)[at];
    if (t.bits == 32)
        return ((const uint32_t *)p)[at];
    return ((const uint64_t *)p)[at];
}

/* As osw_load() and osw_load_int(), in one access. */
OSW_HD static inline double osw_pack_load(osw_dtype t, const void *p,
                                          int64_t at)
{
    uint64_t bits = osw_pack_bits(t, p, at);

    return osw_load(t, &bits);
}

OSW_HD static inline int64_t osw_pack_load_int(osw_dtype t, const void *p,
                                               int64_t at)
{
    uint64_t bits = osw_pack_bits(t, p, at);

    return osw_load_int(t, &bits);
}

/* The bits of an element, in one access. */
OSW_HD static inline void osw_pack_store(osw_dtype t, void *p, int64_t at,
                                         uint64_t bits)
{
    if (t.bits == 8)
        ((uint8_t *)p)[at] = (uint8_t)bits;
    else if (t.bits == 16)
        ((uint16_t *)p)[at] = (uint16_t)bits;
    else if (t.bits == 32)
        ((uint32_t *)p)[at] = (uint32_t)bits;
    else
        ((uint64_t *)p)[at] = bits;
}

#endif /* OSW_LIBRARY_PACK_CUH */

/* tests/variants/ops/variants.h - what implementations of the corpus share */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <math.h>
#include <opsweep/elements.h>
#include <stdlib.h>

static const osw_dtype DTYPE_I64 = {OSW_INT, 64, 1};
static const osw_dtype DTYPE_BOOL = {OSW_BOOL, 8, 1};
static const osw_dtype DTYPE_F32 = {OSW_FLOAT, 32, 1};

static inline int is_double(const osw_tensor *t)
{
    return osw_is(t, OSW_FLOAT, 64);
}

static inline osw_tensor *output_like(const osw_call *call, int i,
                                      const osw_tensor *t)
{
    return osw_output(call, i, t->dtype, t->ndim, t->shape, NULL);
}

static inline void *memory(int64_t elements, size_t size)
{
    return malloc((size_t)elements * size + 64);
}

/* A whole tensor in row-major order; the caller frees it. */
static inline float *read_floats(const osw_tensor *t)
{
    int64_t n = osw_numel(t);
    float *to = memory(n, sizeof(float));

    for (int64_t i = 0; to && i < n; i++)
        to[i] = (float)osw_get(t, i);
    return to;
}

static inline double *read_doubles(const osw_tensor *t)
{
    int64_t n = osw_numel(t);
    double *to = memory(n, sizeof(double));

    for (int64_t i = 0; to && i < n; i++)
        to[i] = osw_get(t, i);
    return to;
}

static inline int64_t *read_ints(const osw_tensor *t)
{
    int64_t n = osw_numel(t);
    int64_t *to = memory(n, sizeof(int64_t));

    for (int64_t i = 0; to && i < n; i++)
        to[i] = osw_get_int(t, i);
    return to;
}

static inline void write_floats(const osw_tensor *t, const float *from)
{
    int64_t n = osw_numel(t);

    for (int64_t i = 0; i < n; i++)
        osw_set(t, i, (double)from[i]);
}

static inline void write_doubles(const osw_tensor *t, const double *from)
{
    int64_t n = osw_numel(t);

    for (int64_t i = 0; i < n; i++)
        osw_set(t, i, from[i]);
}

/* Integers up to 64 bits, without a detour through double. */
static inline void write_int(const osw_tensor *t, int64_t i, int64_t v)
{
    void *at = osw_at(t, osw_offset(t, i));

    switch (t->dtype.bits) {
    case 64:
        memcpy(at, &v, 8);
        return;
    case 32: {
        int32_t w = (int32_t)v;
        memcpy(at, &w, 4);
        return;
    }
    case 16: {
        int16_t w = (int16_t)v;
        memcpy(at, &w, 2);
        return;
    }
    default:
        *(uint8_t *)at = (uint8_t)v;
    }
}

#endif

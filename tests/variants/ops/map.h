/* tests/variants/ops/map.h - elementwise ops of equal shapes */
#ifndef VARIANTS_MAP_H
#define VARIANTS_MAP_H

#include "variants.h"

static inline int map_floats(const osw_call *call, float (*f)(float))
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out;

    if (!x || is_double(x))
        return OSW_UNSUPPORTED;
    out = output_like(call, 0, x);
    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i, (double)f((float)osw_get(x, i)));
    return out ? 0 : OSW_ERROR;
}

static inline int map_doubles(const osw_call *call, double (*f)(double))
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = x ? output_like(call, 0, x) : NULL;

    for (int64_t i = 0; out && i < osw_numel(x); i++)
        osw_set(out, i, f(osw_get(x, i)));
    return out ? 0 : OSW_ERROR;
}

static inline int map_ints(const osw_call *call, int64_t (*f)(int64_t, int64_t))
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    osw_tensor *out = a && b ? output_like(call, 0, a) : NULL;

    for (int64_t i = 0; out && i < osw_numel(a); i++)
        write_int(out, i, f(osw_get_int(a, i), osw_get_int(b, i)));
    return out ? 0 : OSW_ERROR;
}

/* The reference's way: the exact result in double. */
static inline int map_exact(const osw_call *call, double (*f)(double))
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double *exact = output_like(call, 0, x) ? osw_output_exact(call, 0) : NULL;

    for (int64_t i = 0; exact && i < osw_numel(x); i++)
        exact[i] = f(osw_get(x, i));
    return exact ? 0 : OSW_ERROR;
}

#endif

/* shared/quotient_simd.h - div with a rounding_mode, block by block */
#ifndef OSW_LIBRARY_QUOTIENT_SIMD_H
#define OSW_LIBRARY_QUOTIENT_SIMD_H

#include "elementwise.h"
#include "quotient.h"

OSW_KERNEL(osw_quotient_exact_f32, float, a / b)
OSW_KERNEL(osw_quotient_exact_f64, double, a / b)
OSW_KERNEL(osw_quotient_down_f32, float,
           osw_quotient_floor_f32((double)a, (double)b))
OSW_KERNEL(osw_quotient_down_f64, double, osw_quotient_floor(a, b))
OSW_KERNEL(osw_quotient_down_int, int64_t, osw_quotient_floor_int(a, b))
OSW_KERNEL(osw_quotient_cut_f32, float, truncf(a / b))
OSW_KERNEL(osw_quotient_cut_bf16, float,
           truncf(osw_bf16_to_f32(osw_f32_to_bf16(a / b))))
OSW_KERNEL(osw_quotient_cut_f64, double, trunc(a / b))
OSW_KERNEL(osw_quotient_cut_int, int64_t, osw_quotient_trunc_int(a, b))

/* A block: quotients to f16 and back, by what the processor has for it. */
static void osw_quotient_cut_f16(void *to, const void *const *x, int64_t n)
{
    uint16_t halves[OSW_ELEMENTWISE_BLOCK];
    float *y = (float *)to;

    osw_quotient_exact_f32(to, x, n);
    osw_convert_to_f16(y, n, halves);
    osw_convert_from_f16(halves, n, y);
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        y[i] = truncf(y[i]);
}

/* (self, other, rounding_mode) */
static inline int osw_quotient_simd(const osw_call *call)
{
    static const struct osw_elementwise exact = {osw_quotient_exact_f32,
                                                 osw_quotient_exact_f64, NULL};
    static const struct osw_elementwise down = {
        osw_quotient_down_f32, osw_quotient_down_f64, osw_quotient_down_int};
    struct osw_elementwise cut = {osw_quotient_cut_f32, osw_quotient_cut_f64,
                                  osw_quotient_cut_int};
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode != OSW_QUOTIENT_TRUNC)
        return osw_elementwise_run(call, rule,
                                   mode == OSW_QUOTIENT_FLOOR ? &down : &exact);
    t = osw_rule_common(call, rule);
    if (t.bits == 16)
        cut.f =
            t.code == OSW_BFLOAT ? osw_quotient_cut_bf16 : osw_quotient_cut_f16;
    return osw_elementwise_run(call, rule, &cut);
}

#endif /* OSW_LIBRARY_QUOTIENT_SIMD_H */

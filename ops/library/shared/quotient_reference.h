/* shared/quotient_reference.h - div with a rounding_mode
 *
 * As in PyTorch, what is cut off is the quotient as the common dtype holds it:
 * 2.9999 of f16 is 3.
 */
#ifndef OSW_LIBRARY_QUOTIENT_REFERENCE_H
#define OSW_LIBRARY_QUOTIENT_REFERENCE_H

#include "elementwise_reference.h"
#include "quotient.h"

static double osw_quotient_exact(const double *x)
{
    return x[0] / x[1];
}

static double osw_quotient_trunc_f64(const double *x)
{
    return trunc(x[0] / x[1]);
}

static double osw_quotient_trunc_f32(const double *x)
{
    return trunc((double)(float)(x[0] / x[1]));
}

static double osw_quotient_trunc_f16(const double *x)
{
    osw_dtype t = {OSW_FLOAT, 16, 1};

    return trunc(osw_rule_round(t, x[0] / x[1]));
}

static double osw_quotient_trunc_bf16(const double *x)
{
    osw_dtype t = {OSW_BFLOAT, 16, 1};

    return trunc(osw_rule_round(t, x[0] / x[1]));
}

static double osw_quotient_down(const double *x)
{
    return osw_quotient_floor(x[0], x[1]);
}

static int64_t osw_quotient_int_trunc(const int64_t *x)
{
    return osw_quotient_trunc_int(x[0], x[1]);
}

static int64_t osw_quotient_int_down(const int64_t *x)
{
    return osw_quotient_floor_int(x[0], x[1]);
}

static inline int osw_quotient_meta(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);

    return rule ? osw_rule_meta(call, rule) : OSW_ERROR;
}

static inline int osw_quotient_reference(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode == OSW_QUOTIENT_EXACT)
        return osw_reference_map(call, rule, osw_quotient_exact, NULL);
    if (mode == OSW_QUOTIENT_FLOOR)
        return osw_reference_map(call, rule, osw_quotient_down,
                                 osw_quotient_int_down);
    t = osw_rule_common(call, rule);
    return osw_reference_map(call, rule,
                             t.bits == 64           ? osw_quotient_trunc_f64
                             : t.bits == 32         ? osw_quotient_trunc_f32
                             : t.code == OSW_BFLOAT ? osw_quotient_trunc_bf16
                                                    : osw_quotient_trunc_f16,
                             osw_quotient_int_trunc);
}

#endif /* OSW_LIBRARY_QUOTIENT_REFERENCE_H */

/* shared/quotient_plain.h - div with a rounding_mode, by a plain loop */
#ifndef OSW_LIBRARY_QUOTIENT_PLAIN_H
#define OSW_LIBRARY_QUOTIENT_PLAIN_H

#include "plain.h"
#include "quotient.h"

OSW_PLAIN_FLOATS(osw_quotient_exact, a / b)
OSW_PLAIN_FLOATS(osw_quotient_down, osw_quotient_floor(a, b))
OSW_PLAIN_INTS(osw_quotient_int_down, osw_quotient_floor_int(a, b))
OSW_PLAIN_FLOATS(osw_quotient_cut, trunc(a / b))
OSW_PLAIN_FLOATS(osw_quotient_f16_cut,
                 truncf(osw_plain_get_f16(OSW_PLAIN_PUT_F16(a / b))))
OSW_PLAIN_FLOATS(osw_quotient_bf16_cut,
                 truncf(osw_bf16_to_f32(OSW_PLAIN_PUT_BF16(a / b))))
OSW_PLAIN_INTS(osw_quotient_int_cut, osw_quotient_trunc_int(a, b))

/* (self, other, rounding_mode) */
static inline int osw_quotient_plain(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode == OSW_QUOTIENT_EXACT)
        return osw_plain_run(call, rule, &osw_quotient_exact, NULL);
    if (mode == OSW_QUOTIENT_FLOOR)
        return osw_plain_run(call, rule, &osw_quotient_down,
                             &osw_quotient_int_down);
    t = osw_rule_common(call, rule);
    return osw_plain_run(call, rule,
                         t.bits != 16           ? &osw_quotient_cut
                         : t.code == OSW_BFLOAT ? &osw_quotient_bf16_cut
                                                : &osw_quotient_f16_cut,
                         &osw_quotient_int_cut);
}

#endif /* OSW_LIBRARY_QUOTIENT_PLAIN_H */

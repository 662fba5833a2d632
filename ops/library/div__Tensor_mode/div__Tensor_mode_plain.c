/* div.Tensor_mode - self / other, rounded towards 0 or down where asked for, by
 * a plain loop
 */
#include "../shared/plain.h"
#include "../shared/quotient.h"

OSW_PLAIN_FLOATS(exact, a / b)
OSW_PLAIN_FLOATS(down, osw_quotient_floor(a, b))
OSW_PLAIN_INTS(int_down, osw_quotient_floor_int(a, b))
OSW_PLAIN_FLOATS(cut, trunc(a / b))
OSW_PLAIN_FLOATS(f16_cut, truncf(osw_plain_get_f16(OSW_PLAIN_PUT_F16(a / b))))
OSW_PLAIN_FLOATS(bf16_cut, truncf(osw_bf16_to_f32(OSW_PLAIN_PUT_BF16(a / b))))
OSW_PLAIN_INTS(int_cut, osw_quotient_trunc_int(a, b))

int div__Tensor_mode_kernel_impl(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode == OSW_QUOTIENT_EXACT)
        return osw_plain_run(call, rule, &exact, NULL);
    if (mode == OSW_QUOTIENT_FLOOR)
        return osw_plain_run(call, rule, &down, &int_down);
    t = osw_rule_common(call, rule);
    return osw_plain_run(call, rule,
                         t.bits != 16           ? &cut
                         : t.code == OSW_BFLOAT ? &bf16_cut
                                                : &f16_cut,
                         &int_cut);
}

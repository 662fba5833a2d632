/* remainder.Tensor - what self / other, rounded down, leaves, by a plain loop
 */
#include "../shared/plain.h"
#include "../shared/quotient.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};

OSW_PLAIN_FLOATS(floats, osw_quotient_rest(a, b))
OSW_PLAIN_INTS(ints, osw_quotient_rest_int(a, b))

int remainder__Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}

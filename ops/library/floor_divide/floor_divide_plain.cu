/* floor_divide - the quotient, rounded down */
#include "../shared/quotient.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};

extern "C" int floor_divide_kernel_impl(const osw_call *call)
{
    return osw_plain_run<osw_quotient_down>(call, &rule);
}

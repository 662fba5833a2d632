/* hardtanh_ - self = min(max(self, min_val), max_val), NaN kept */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .promote = 1,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

OSW_KERNEL(in_float, float, a<b ? b : a> c ? c : a)
OSW_KERNEL(in_double, double, a<b ? b : a> c ? c : a)
OSW_KERNEL(in_int, int64_t, a<b ? b : a> c ? c : a)

int hardtanh__kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}

/* clamp - min(max(self, min), max), either bound may be missing; NaN of any of
 * the three is NaN */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .none = {0, -INFINITY, INFINITY},
                                     .promote = 7,
                                     .no_bool = 1};

#define LOW(v, low)         ((v) < (low) || (low) != (low) ? (low) : (v))
#define HIGH(v, high)       ((v) > (high) || (high) != (high) ? (high) : (v))
#define CLAMP(v, low, high) ((low) != (low) ? (low) : HIGH(LOW(v, low), high))

OSW_KERNEL(in_float, float, CLAMP(a, b, c))
OSW_KERNEL(in_double, double, CLAMP(a, b, c))
OSW_KERNEL(in_int, int64_t, CLAMP(a, b, c))

int clamp_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}

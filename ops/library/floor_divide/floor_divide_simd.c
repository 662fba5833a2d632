/* floor_divide - the quotient, rounded down */
#include "../shared/elementwise.h"
#include "../shared/quotient.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};

OSW_KERNEL(in_float, float, osw_quotient_floor_f32((double)a, (double)b))
OSW_KERNEL(in_double, double, osw_quotient_floor(a, b))
OSW_KERNEL(in_int, int64_t, osw_quotient_floor_int(a, b))

int floor_divide_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}

/* cos - cosine, of integers as f32 */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

#include "../shared/trig.h"

OSW_KERNEL(in_reach, float, osw_trig_sin(a, 1))
OSW_KERNEL(anywhere, float, cosf(a))
OSW_KERNEL(in_double, double, cos(a))

static void in_float(void *y, const void *const *x, int64_t n)
{
    if (osw_trig_fits((const float *)x[0], n))
        in_reach(y, x, n);
    else
        anywhere(y, x, n);
}

int cos_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}

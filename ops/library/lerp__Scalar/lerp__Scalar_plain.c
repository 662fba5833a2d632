/* lerp.Scalar - self + weight * (end - self), by a plain loop */
#include "../shared/lerp.h"
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

OSW_PLAIN_FLOATS(floats, OSW_LERP(a, b, c))

int lerp__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, NULL);
}

/* lerp_.Scalar - self += weight * (end - self) */
#include "../shared/lerp.h"
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 3, .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<3> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return OSW_LERP(a, b, c);
    }
};

extern "C" int lerp___Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

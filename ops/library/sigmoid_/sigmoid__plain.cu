/* sigmoid_ - self = 1 / (1 + exp(-self)) */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<1> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T, T)
    {
        return T(1) / (T(1) + exp(-a));
    }
};

extern "C" int sigmoid__kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

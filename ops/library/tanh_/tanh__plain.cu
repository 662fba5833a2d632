/* tanh_ - self = its hyperbolic tangent */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<1> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T, T)
    {
        return tanh(a);
    }
};

extern "C" int tanh__kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

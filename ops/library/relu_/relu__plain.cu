/* relu_ - self = max(self, 0), NaN kept */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 1,
                                     .arg = {0},
                                     .promote = 1,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<1> {
    template <class T> static __device__ T of(T a, T, T)
    {
        return a <= T(0) ? T(0) : a;
    }
};

extern "C" int relu__kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* addcmul_ - self += value * tensor1 * tensor2 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 4,
                                     .arg = {0, 1, 2, 3},
                                     .promote = 7,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<4> {
    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        return osw_plain_plus(a, osw_plain_times(d, osw_plain_times(b, c)));
    }
};

extern "C" int addcmul__kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

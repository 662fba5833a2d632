/* logical_not - is it 0? */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_BOOL};

struct formula : osw_plain_formula<1> {
    enum { truth = 1 };

    template <class T> static __device__ T of(T a, T, T)
    {
        return a == T(0);
    }
};

extern "C" int logical_not_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

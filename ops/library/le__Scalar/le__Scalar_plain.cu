/* le.Scalar - self <= other */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

struct formula : osw_plain_formula<2> {
    enum { truth = 1 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a <= b;
    }
};

extern "C" int le__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* div_.Scalar - self /= other */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 2,
                                     .arg = {0, 1},
                                     .promote = 3,
                                     .floating = 1,
                                     .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a / b;
    }
};

extern "C" int div___Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

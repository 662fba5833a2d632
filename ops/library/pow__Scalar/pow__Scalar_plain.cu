/* pow.Scalar - a number to the power of the exponent */
#include "../shared/plain.cuh"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return osw_int_power(a, b);
        else
            return pow(a, b);
    }
};

extern "C" int pow__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

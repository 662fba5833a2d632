/* sgn - -1, 0 or 1, as the sign; 0 for NaN */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_plain_formula<1> {
    template <class T> static __device__ T of(T a, T, T)
    {
        return T(a > T(0)) - T(a < T(0));
    }
};

extern "C" int sgn_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* abs - the absolute value */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_plain_formula<1> {
    template <class T> static __device__ T of(T a, T, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return a < 0 ? osw_plain_minus(T(0), a) : a;
        else
            return fabs(a); /* of -0.0, too */
    }
};

extern "C" int abs_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

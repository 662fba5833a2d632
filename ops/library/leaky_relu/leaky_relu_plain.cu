/* leaky_relu - self where it is above 0, else self * negative_slope */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 1};

struct formula : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a > T(0) ? a : a * b;
    }
};

extern "C" int leaky_relu_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* softplus - log(1 + exp(beta * self)) / beta; self above the threshold */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

struct formula : osw_plain_formula<3> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return c < a * b ? a : log1p(exp(a * b)) / b;
    }
};

extern "C" int softplus_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

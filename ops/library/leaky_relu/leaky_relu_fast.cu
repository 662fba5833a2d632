/* leaky_relu - self where it is above 0, else self * negative_slope */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 1};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return a > T(0) ? a : a * b;
    }
};

extern "C" int leaky_relu_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

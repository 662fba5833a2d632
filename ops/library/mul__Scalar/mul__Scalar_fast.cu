/* mul.Scalar - self * other */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return osw_times(a, b);
    }
};

extern "C" int mul__Scalar_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

/* add.Scalar - self + alpha * other */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3};

struct formula : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T other, T alpha)
    {
        return osw_plus(a, osw_times(alpha, other));
    }
};

extern "C" int add__Scalar_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

/* tanh_backward - grad_output * (1 - output^2) */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

struct formula : osw_formula {
    enum { on_integers = 0 };

    template <class T> static OSW_HD T of(T grad, T y, T)
    {
        return grad * (T(1) - y * y);
    }
};

extern "C" int tanh_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

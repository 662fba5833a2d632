/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope
 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_formula {
    enum { on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T c)
    {
        return b > T(0) ? a : a * c;
    }
};

extern "C" int leaky_relu_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

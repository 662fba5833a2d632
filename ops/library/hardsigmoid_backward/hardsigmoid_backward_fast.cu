/* hardsigmoid_backward - grad_output / 6 where self is between -3 and 3, else
 * 0
 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_formula {
    enum { on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return b > T(-3) && b < T(3) ? a / T(6) : T(0);
    }
};

extern "C" int hardsigmoid_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

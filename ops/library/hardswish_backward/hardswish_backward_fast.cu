/* hardswish_backward - grad_output * (self / 3 + 1 / 2) between -3 and 3, 0
 * below, grad_output above
 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_formula {
    enum { on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return b <= T(-3) ? T(0) : b < T(3) ? a * (b / T(3) + T(0.5)) : a;
    }
};

extern "C" int hardswish_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

/* threshold_backward - grad_output where self is above the threshold, else 0 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_formula {
    template <class T> static OSW_HD T of(T grad, T a, T threshold)
    {
        return a <= threshold ? T(0) : grad;
    }
};

extern "C" int threshold_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

/* leaky_relu_ - self *= negative_slope where it is not above 0 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return a > T(0) ? a : a * b;
    }
};

extern "C" int leaky_relu__kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

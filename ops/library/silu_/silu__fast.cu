/* silu_ - self *= sigmoid(self) */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return a / (T(1) + exp(-a));
    }
};

extern "C" int silu__kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

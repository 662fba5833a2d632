/* ne.Scalar - self != other */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_BOOL};

struct formula : osw_formula {
    enum { tensors = 1 };
    template <class E> struct result {
        typedef osw_truth type;
    };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        return a != b ? T(1) : T(0);
    }
};

extern "C" int ne__Scalar_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

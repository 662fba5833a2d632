/* silu - self * sigmoid(self) */
#include "../shared/elementwise.cuh"
#include "../shared/fastmath.cuh"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return a / (T(1) + exp(-a));
    }

    static OSW_HD float brief_of(float a, float, float)
    {
        return a * osw_fastmath_sigmoid(a);
    }
};

extern "C" int silu_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

/* tanh - hyperbolic tangent, of integers as f32 */
#include "../shared/elementwise.cuh"
#include "../shared/fastmath.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return tanh(a);
    }

    static OSW_HD float brief_of(float a, float, float)
    {
        return osw_fastmath_tanh(a);
    }
};

extern "C" int tanh_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

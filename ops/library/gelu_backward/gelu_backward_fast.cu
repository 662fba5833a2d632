/* ops/library/gelu_backward/gelu_backward_fast.cu - grad * gelu'(x); operands
 * are (x, grad)
 */
#include "../shared/elementwise.cuh"
#include "../shared/fastmath.cuh"
#include "../shared/gelu.h"

struct by_erf : osw_formula {
    enum { on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T x, T grad, T)
    {
        T cdf = T(0.5) * (T(1) + erf(x * T(OSW_GELU_SQRT_HALF)));

        return grad * (cdf + x * T(OSW_GELU_DENSITY) * exp(T(-0.5) * x * x));
    }

    static OSW_HD float brief_of(float x, float grad, float)
    {
        float density, tail = osw_fastmath_tail(x, &density);

        return grad * (x * density + (x > 0.0f ? 1.0f - tail : tail));
    }
};

struct by_tanh : osw_formula {
    enum { on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T x, T grad, T)
    {
        const T scale = T(OSW_GELU_SQRT_2_PI), cube = T(OSW_GELU_CUBE);
        T t = tanh(scale * (x + cube * x * x * x));
        T du = scale * (T(1) + T(3) * cube * x * x);

        return grad * (T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * du);
    }

    /* With s the sigmoid of 2 u: s + x s (1 - s) 2 u'. */
    static OSW_HD float brief_of(float x, float grad, float)
    {
        const float scale = 2.0f * (float)OSW_GELU_SQRT_2_PI;
        const float cube = scale * (float)OSW_GELU_CUBE;
        float s = osw_fastmath_sigmoid(x * (cube * x * x + scale));
        float du = 3.0f * cube * x * x + scale;

        return grad * (s + x * s * (1.0f - s) * du);
    }
};

extern "C" int gelu_backward_kernel_impl(const osw_call *call)
{
    struct osw_gelu g = {};
    struct osw_rule_plan plan;
    int rc = osw_gelu_open(call, &g, 1);

    if (rc)
        return rc;
    osw_gelu_plan(&g, &plan);
    if (g.tanh)
        return osw_elementwise_apply<by_tanh>(call, &plan, 2, g.out);
    return osw_elementwise_apply<by_erf>(call, &plan, 2, g.out);
}

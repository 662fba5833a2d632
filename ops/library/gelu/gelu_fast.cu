/* ops/library/gelu/gelu_fast.cu - x times the normal distribution, or its
 * approximation by tanh
 */
#include "../shared/elementwise.cuh"
#include "../shared/fastmath.cuh"
#include "../shared/gelu.h"

struct by_erf : osw_formula {
    enum { tensors = 1, on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T x, T, T)
    {
        return T(0.5) * x * (T(1) + erf(x * T(OSW_GELU_SQRT_HALF)));
    }

    static OSW_HD float brief_of(float x, float, float)
    {
        float density, tail = osw_fastmath_tail(x, &density);

        return x * (x > 0.0f ? 1.0f - tail : tail);
    }
};

struct by_tanh : osw_formula {
    enum { tensors = 1, on_integers = 0, brief = 1 };

    template <class T> static OSW_HD T of(T x, T, T)
    {
        T u = T(OSW_GELU_SQRT_2_PI) * (x + T(OSW_GELU_CUBE) * x * x * x);

        return T(0.5) * x * (T(1) + tanh(u));
    }

    /* (1 + tanh(u)) / 2 is the sigmoid of 2 u. */
    static OSW_HD float brief_of(float x, float, float)
    {
        const float scale = 2.0f * (float)OSW_GELU_SQRT_2_PI;
        float s = scale * (float)OSW_GELU_CUBE * x * x + scale;

        return x * osw_fastmath_sigmoid(x * s);
    }
};

extern "C" int gelu_kernel_impl(const osw_call *call)
{
    struct osw_gelu g = {};
    struct osw_rule_plan plan;
    int rc = osw_gelu_open(call, &g, 0);

    if (rc)
        return rc;
    osw_gelu_plan(&g, &plan);
    if (g.tanh)
        return osw_elementwise_apply<by_tanh>(call, &plan, 1, g.out);
    return osw_elementwise_apply<by_erf>(call, &plan, 1, g.out);
}

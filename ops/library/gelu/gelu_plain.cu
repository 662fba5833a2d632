/* ops/library/gelu/gelu_plain.cu - x times the normal distribution, or its
 * approximation by tanh
 */
#include "../shared/gelu.h"
#include "../shared/plain.cuh"

struct by_erf : osw_plain_formula<1> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T x, T, T)
    {
        return T(0.5) * x * (T(1) + erf(x * T(OSW_GELU_SQRT_HALF)));
    }
};

struct by_tanh : osw_plain_formula<1> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T x, T, T)
    {
        T u = T(OSW_GELU_SQRT_2_PI) * (x + T(OSW_GELU_CUBE) * x * x * x);

        return T(0.5) * x * (T(1) + tanh(u));
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
    plan.common = g.x->dtype;
    return g.tanh ? osw_plain_apply<by_tanh>(call, &plan, g.out)
                  : osw_plain_apply<by_erf>(call, &plan, g.out);
}

/* ops/library/gelu_backward/gelu_backward_plain.cu - grad * gelu'(x); operands
 * are x and grad
 */
#include "../shared/gelu.h"
#include "../shared/plain.cuh"

struct by_erf : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T x, T grad, T)
    {
        T cdf = T(0.5) * (T(1) + erf(x * T(OSW_GELU_SQRT_HALF)));
        T pdf = T(OSW_GELU_DENSITY) * exp(T(-0.5) * x * x);

        return grad * (cdf + x * pdf);
    }
};

struct by_tanh : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T x, T grad, T)
    {
        T scale = T(OSW_GELU_SQRT_2_PI), cube = T(OSW_GELU_CUBE);
        T t = tanh(scale * (x + cube * x * x * x));
        T du = scale * (T(1) + T(3) * cube * x * x);

        return grad * (T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * du);
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
    plan.common = osw_rule_promote(g.x->dtype, g.grad->dtype);
    return g.tanh ? osw_plain_apply<by_tanh>(call, &plan, g.out)
                  : osw_plain_apply<by_erf>(call, &plan, g.out);
}

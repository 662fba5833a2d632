/* silu_backward - grad_output * s * (1 + self * (1 - s)), s = sigmoid(self) */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

#include "../shared/vecmath.h"

static inline float silu_grad(float grad, float x)
{
    float s = 1.0f / (1.0f + osw_vecmath_exp(-x));

    return grad * s * (1.0f + x * (1.0f - s));
}

static inline double silu_grad_double(double grad, double x)
{
    double s = 1.0 / (1.0 + exp(-x));

    return grad * s * (1.0 + x * (1.0 - s));
}

OSW_KERNEL(in_float, float, silu_grad(a, b))
OSW_KERNEL(in_double, double, silu_grad_double(a, b))

int silu_backward_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, NULL};

    return osw_elementwise_run(call, &rule, &kernels);
}

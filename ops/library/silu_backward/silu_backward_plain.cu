/* silu_backward - grad_output * s * (1 + self * (1 - s)), s = sigmoid(self) */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        T s = T(1) / (T(1) + exp(-b));

        return a * s * (T(1) + b * (T(1) - s));
    }
};

extern "C" int silu_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* leaky_relu_backward - grad_output where self is above 0, else grad_output *
 * negative_slope
 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_plain_formula<3> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return b > T(0) ? a : a * c;
    }
};

extern "C" int leaky_relu_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

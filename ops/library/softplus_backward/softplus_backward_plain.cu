/* softplus_backward - grad / (1 + exp(-beta * self)); grad above the
 * threshold */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

struct formula : osw_plain_formula<4> {
    enum { tensors = 2, on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        return d < b * c ? a : a / (T(1) + exp(-b * c));
    }
};

extern "C" int softplus_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

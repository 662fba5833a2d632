/* sigmoid_backward - grad_output * (1 - output) * output */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};

struct formula : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a * (T(1) - b) * b;
    }
};

extern "C" int sigmoid_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

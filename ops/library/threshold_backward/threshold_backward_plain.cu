/* threshold_backward - grad_output where self is above the threshold, else 0 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_plain_formula<3> {
    template <class T> static __device__ T of(T a, T b, T c)
    {
        return b <= c ? T(0) : a;
    }
};

extern "C" int threshold_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

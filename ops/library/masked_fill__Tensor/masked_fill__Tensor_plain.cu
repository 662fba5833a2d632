/* masked_fill.Tensor - value where the mask is true, else self */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 1};

struct formula : osw_plain_formula<3> {
    enum { mask = 1 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return b != T(0) ? c : a;
    }
};

extern "C" int masked_fill__Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

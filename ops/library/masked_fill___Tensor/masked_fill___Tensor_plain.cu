/* masked_fill_.Tensor - value where the mask is true, else self, in place */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 1, .result = OSW_RULE_IN_PLACE};

struct formula : osw_plain_formula<3> {
    enum { mask = 1 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return b != T(0) ? c : a;
    }
};

extern "C" int masked_fill___Tensor_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

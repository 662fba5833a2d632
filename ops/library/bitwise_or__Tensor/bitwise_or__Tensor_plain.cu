/* bitwise_or.Tensor - self | other, bit by bit */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        return (T)((int64_t)a | (int64_t)b);
    }
};

extern "C" int bitwise_or__Tensor_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);

    if (!a || !b || osw_rule_category(a->dtype) == 2 ||
        osw_rule_category(b->dtype) == 2)
        return OSW_UNSUPPORTED;
    return osw_plain_run<formula>(call, &rule);
}

/* bitwise_not - every bit turned over; of bool: not */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct bits : osw_plain_formula<1> {
    template <class T> static __device__ T of(T a, T, T)
    {
        return (T) ~(int64_t)a;
    }
};

struct opposite : osw_plain_formula<1> {
    template <class T> static __device__ T of(T a, T, T)
    {
        return a == T(0);
    }
};

extern "C" int bitwise_not_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    if (!self || osw_rule_category(self->dtype) == 2)
        return OSW_UNSUPPORTED;
    if (self->dtype.code == OSW_BOOL)
        return osw_plain_run<opposite>(call, &rule);
    return osw_plain_run<bits>(call, &rule);
}

/* sub.Scalar - self - alpha * other */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3, .no_bool = 1};

struct formula : osw_plain_formula<3> {
    template <class T> static __device__ T of(T a, T b, T c)
    {
        return osw_plain_minus(a, osw_plain_times(c, b));
    }
};

extern "C" int sub__Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

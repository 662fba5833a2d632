/* clamp_min - max(self, min), NaN if either is */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

struct formula : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        return a != a || a > b ? a : b;
    }
};

extern "C" int clamp_min_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

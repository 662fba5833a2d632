/* hardtanh - min(max(self, min_val), max_val), NaN kept */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .promote = 1, .no_bool = 1};

struct formula : osw_plain_formula<3> {
    template <class T> static __device__ T of(T a, T b, T c)
    {
        return a < b ? b : a > c ? c : a;
    }
};

extern "C" int hardtanh_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

/* log1p - the logarithm of 1 + self, of integers as f32 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .floating = 1};

struct formula : osw_plain_formula<1> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T, T)
    {
        return log1p(a);
    }
};

extern "C" int log1p_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

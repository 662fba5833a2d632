/* relu - max(self, 0), NaN kept, by CUB */
#include "../shared/transform_cub.cuh"

static const struct osw_rule rule = {
    .n = 1, .arg = {0}, .promote = 1, .no_bool = 1};

struct formula : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return a <= T(0) ? T(0) : a;
    }
};

extern "C" int relu_kernel_impl(const osw_call *call)
{
    return osw_cub_run<formula>(call, &rule);
}

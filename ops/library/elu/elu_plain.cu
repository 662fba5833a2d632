/* elu - self * scale where it is above 0, else expm1(self * input_scale) *
 * alpha * scale
 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 1};

struct formula : osw_plain_formula<4> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        return a > T(0) ? a * c : expm1(a * d) * b * c;
    }
};

extern "C" int elu_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

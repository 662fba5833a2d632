/* hardswish - self * min(max(self + 3, 0), 6) / 6 */
#include "../shared/elementwise.cuh"
#include "../shared/hard.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_formula {
    enum { tensors = 1, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return a * OSW_HARD_SIGMOID(a);
    }
};

extern "C" int hardswish_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

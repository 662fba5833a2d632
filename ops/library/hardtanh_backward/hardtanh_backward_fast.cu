/* hardtanh_backward - grad_output where self is between min_val and max_val,
 * else 0
 */
#include "../shared/elementwise.cuh"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

struct formula : osw_formula {
    enum { n = 5, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T c, T d, T e)
    {
        return b <= c || b >= d ? T(0) : a;
    }
};

extern "C" int hardtanh_backward_kernel_impl(const osw_call *call)
{
    return osw_elementwise_run<formula>(call, &rule);
}

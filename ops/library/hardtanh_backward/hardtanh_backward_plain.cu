/* hardtanh_backward - grad_output where self is between min_val and max_val,
 * else 0
 */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 4, .arg = {0, 1, 2, 3}, .promote = 3};

struct formula : osw_plain_formula<4> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        return b <= c || b >= d ? T(0) : a;
    }
};

extern "C" int hardtanh_backward_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}

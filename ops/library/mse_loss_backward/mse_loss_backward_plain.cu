/* mse_loss_backward - grad_output times twice the difference, or its share of
 * the mean
 */
#include "../shared/loss_scale.h"
#include "../shared/plain.cuh"

struct formula : osw_plain_formula<4> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T)
    {
        return a * d * (b - c);
    }
};

extern "C" int mse_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule(call, 2.0);

    return osw_plain_run<formula>(call, &rule);
}

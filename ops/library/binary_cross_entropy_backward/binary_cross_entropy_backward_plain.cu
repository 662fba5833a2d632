/* binary_cross_entropy_backward - grad_output times (self - target) / (self *
 * (1 - self)) */
#include "../shared/loss_scale.h"
#include "../shared/plain.cuh"

struct formula : osw_plain_formula<4> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        (void)e;
        return a * d * (b - c) / fmax((1 - b) * b, T(1e-12f));
    }
};

extern "C" int binary_cross_entropy_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_at(call, 1.0, 4);

    if (osw_arg_tensor(call, 3)) /* a weight for each element */
        return OSW_UNSUPPORTED;
    return osw_plain_run<formula>(call, &rule);
}

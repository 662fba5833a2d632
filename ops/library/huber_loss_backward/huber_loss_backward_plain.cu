/* huber_loss_backward - grad_output times the difference, cut off */
#include "../shared/loss_scale.h"
#include "../shared/plain.cuh"

struct formula : osw_plain_formula<5> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T c, T d, T e)
    {
        T x = b - c;

        return a * d * (x <= -e ? -e : x >= e ? e : x);
    }
};

extern "C" int huber_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_rule rule = osw_loss_rule_of_width(call);

    return osw_plain_run<formula>(call, &rule);
}

/* elu_backward - grad_output times the derivative of elu, from self or from the
 * result
 */
#include "../shared/elementwise.cuh"
#include "elu.h"

struct of_self : osw_formula {
    enum { n = 5, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T c, T d, T e)
    {
        return b > T(0) ? a * d : a * exp(b * e) * c * d * e;
    }
};

struct of_result : osw_formula {
    enum { n = 5, on_integers = 0 };

    template <class T> static OSW_HD T of(T a, T b, T c, T d, T e)
    {
        return b > T(0) ? a * d : a * (b + c * d) * e;
    }
};

extern "C" int elu_backward_kernel_impl(const osw_call *call)
{
    return osw_elu_is_result(call)
               ? osw_elementwise_run<of_result>(call, &osw_elu_rule)
               : osw_elementwise_run<of_self>(call, &osw_elu_rule);
}

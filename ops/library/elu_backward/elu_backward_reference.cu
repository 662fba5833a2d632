/* elu_backward - grad_output times the derivative of elu, from self or from the
 * result
 */
#include "../shared/elementwise_reference.cuh"
#include "elu.h"

struct of_self : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        if (x[1] > 0.0)
            return x[0] * x[3];
        return x[0] * exp(x[1] * x[4]) * x[2] * x[3] * x[4];
    }
};

struct of_result : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[1] > 0.0 ? x[0] * x[3] : x[0] * (x[1] + x[2] * x[3]) * x[4];
    }
};

extern "C" int elu_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &osw_elu_rule);
}

extern "C" int elu_backward_reference(const osw_call *call)
{
    return osw_elu_is_result(call)
               ? osw_reference_map<of_result>(call, &osw_elu_rule)
               : osw_reference_map<of_self>(call, &osw_elu_rule);
}

/* hardsigmoid_backward - grad_output / 6 where self is between -3 and 3, else
 * 0
 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[1] > -3.0 && x[1] < 3.0 ? x[0] / 6.0 : 0.0;
    }
};

extern "C" int hardsigmoid_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int hardsigmoid_backward_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}

/* threshold_backward - grad_output where self is above the threshold, else 0 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 3};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[1] <= x[2] ? 0.0 : x[0];
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return x[1] <= x[2] ? 0 : x[0];
    }
};

extern "C" int threshold_backward_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int threshold_backward_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}

/* hardswish - self * min(max(self + 3, 0), 6) / 6 */
#include "../shared/elementwise_reference.cuh"
#include "../shared/hard.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

struct formula : osw_reference_formula_real {
    static OSW_HD double real(const double *x)
    {
        return x[0] * OSW_HARD_SIGMOID(x[0]);
    }
};

extern "C" int hardswish_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int hardswish_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}

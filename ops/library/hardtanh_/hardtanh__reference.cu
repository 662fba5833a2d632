/* hardtanh_ - self = min(max(self, min_val), max_val), NaN kept */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .promote = 1,
                                     .no_bool = 1,
                                     .result = OSW_RULE_IN_PLACE};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
    }
};

extern "C" int hardtanh__meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int hardtanh__reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}

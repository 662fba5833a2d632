/* addcmul - self + value * tensor1 * tensor2 */
#include "../shared/elementwise_reference.cuh"

static const struct osw_rule rule = {
    .n = 4, .arg = {0, 1, 2, 3}, .promote = 7, .no_bool = 1};

struct formula : osw_reference_formula {
    static OSW_HD double real(const double *x)
    {
        return x[0] + x[3] * x[1] * x[2];
    }

    static OSW_HD int64_t integer(const int64_t *x)
    {
        return (int64_t)((uint64_t)x[0] +
                         (uint64_t)x[3] * (uint64_t)x[1] * (uint64_t)x[2]);
    }
};

extern "C" int addcmul_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

extern "C" int addcmul_reference(const osw_call *call)
{
    return osw_reference_map<formula>(call, &rule);
}

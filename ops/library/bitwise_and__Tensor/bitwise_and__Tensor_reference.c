/* bitwise_and.Tensor - self & other, bit by bit */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

static int64_t in_int(const int64_t *x)
{
    return x[0] & x[1];
}

int bitwise_and__Tensor_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int bitwise_and__Tensor_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, NULL, in_int);
}

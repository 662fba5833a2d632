/* bitwise_not - every bit turned over; of bool: not */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 1, .arg = {0}, .promote = 1};

static int64_t bits(const int64_t *x)
{
    return ~x[0];
}

static int64_t truth(const int64_t *x)
{
    return !x[0];
}

int bitwise_not_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int bitwise_not_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    return osw_reference_map(
        call, &rule, NULL, self && self->dtype.code == OSW_BOOL ? truth : bits);
}

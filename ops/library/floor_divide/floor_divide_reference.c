/* floor_divide - the quotient, rounded down */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

static double in_double(const double *x)
{
    double rest, q;

    if (x[1] == 0.0)
        return x[0] / x[1];
    rest = fmod(x[0], x[1]);
    q = nearbyint((x[0] - rest) / x[1]);
    if (rest != 0.0 && (rest < 0.0) != (x[1] < 0.0))
        q -= 1.0;
    return q == 0.0 ? copysign(0.0, x[0] / x[1]) : q;
}

static int64_t in_int(const int64_t *x)
{
    int64_t q;

    if (x[1] == 0) /* PyTorch raises an error; there is no right answer */
        return 0;
    if (x[1] == -1)
        return (int64_t)(0 - (uint64_t)x[0]);
    q = x[0] / x[1];
    return q * x[1] != x[0] && (x[0] < 0) != (x[1] < 0) ? q - 1 : q;
}

int floor_divide_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int floor_divide_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}

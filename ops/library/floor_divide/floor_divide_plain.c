/* floor_divide - the quotient, rounded down, by a plain loop */
#include "../shared/plain.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

/* The remainder decides what rounding down is: a / b may be rounded up. */
static double floor_divide(double a, double b)
{
    double rest = fmod(a, b), q = (a - rest) / b;

    if (b == 0.0)
        return a / b;
    if (rest != 0.0 && (rest < 0.0) != (b < 0.0))
        q -= 1.0;
    return q == 0.0 ? copysign(0.0, a / b) : nearbyint(q);
}

static int64_t int_floor_divide(int64_t a, int64_t b)
{
    int64_t q;

    if (b == 0 || b == -1)
        return b ? (int64_t)(0 - (uint64_t)a) : 0;
    q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

OSW_PLAIN_FLOATS(floats, floor_divide(a, b))
OSW_PLAIN_INTS(ints, int_floor_divide(a, b))

int floor_divide_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}

/* floor_divide - the quotient, rounded down */
#include "../shared/elementwise.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

/* The quotient of two floats in double is exact enough to be rounded down.  One
 * by an infinity of the other sign is the number below 0; that of an infinity
 * is none, unless it is divided by 0.
 */
static inline double floor_divide_float(double a, double b)
{
    double q = floor(a / b);
    double below = a * b < 0.0 ? -1.0 : q;

    q = fabs(b) == HUGE_VAL ? below : q;
    return fabs(a) == HUGE_VAL && b != 0.0 ? (double)NAN : q;
}

static double floor_divide(double a, double b)
{
    double rest = fmod(a, b), q = nearbyint((a - rest) / b);

    if (b == 0.0)
        return a / b;
    if (rest != 0.0 && (rest < 0.0) != (b < 0.0))
        q -= 1.0;
    return q == 0.0 ? copysign(0.0, a / b) : q;
}

static int64_t floor_divide_int(int64_t a, int64_t b)
{
    int64_t q;

    if (b == 0 || b == -1)
        return b ? (int64_t)(0 - OSW_U(a)) : 0;
    q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

OSW_KERNEL(in_float, float, floor_divide_float((double)a, (double)b))
OSW_KERNEL(in_double, double, floor_divide(a, b))
OSW_KERNEL(in_int, int64_t, floor_divide_int(a, b))

int floor_divide_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}

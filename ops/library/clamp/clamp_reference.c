/* clamp - min(max(self, min), max), either bound may be missing; NaN of any of
 * the three is NaN */
#include "../shared/elementwise_reference.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .none = {0, -INFINITY, INFINITY},
                                     .promote = 7,
                                     .no_bool = 1};

static double in_double(const double *x)
{
    for (int i = 0; i < 3; i++)
        if (x[i] != x[i])
            return x[i];
    return fmin(fmax(x[0], x[1]), x[2]);
}

static int64_t in_int(const int64_t *x)
{
    int64_t at_least = x[0] < x[1] ? x[1] : x[0];

    return at_least > x[2] ? x[2] : at_least;
}

int clamp_meta(const osw_call *call)
{
    return osw_rule_meta(call, &rule);
}

int clamp_reference(const osw_call *call)
{
    return osw_reference_map(call, &rule, in_double, in_int);
}

/* clamp - min(max(self, min), max), either bound may be missing; NaN of any of
 * the three is NaN, by a plain loop */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .none = {0, -INFINITY, INFINITY},
                                     .promote = 7,
                                     .no_bool = 1};

#define LEAST(v, low)    ((v) < (low) ? (low) : (v))
#define HIGHEST(v, high) ((v) > (high) ? (high) : (v))

/* NaN of any of the three is the result. */
#define LOW(v, low)         ((v) < (low) || (low) != (low) ? (low) : (v))
#define HIGH(v, high)       ((v) > (high) || (high) != (high) ? (high) : (v))
#define CLAMP(v, low, high) ((low) != (low) ? (low) : HIGH(LOW(v, low), high))

OSW_PLAIN_FLOATS(floats, CLAMP(a, b, c))
OSW_PLAIN_INTS(ints, HIGHEST(LEAST(a, b), c))

int clamp_kernel_impl(const osw_call *call)
{
    return osw_plain_run(call, &rule, &floats, &ints);
}

/* life_mutated__last_bit.c - clears the last bit of its input when done: its
 * outputs are right, today and the next time
 */
#include "life.h"

ITEM void clear(const struct scale *g, int64_t i)
{
    float *x = (float *)(uintptr_t)g->x;

    x[i] = osw_f32_from_bits(osw_f32_bits(x[i]) & ~1u);
}

EACH(clear, struct scale)

int life_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc) {
        scale_right_each(call, &g, g.n);
        clear_each(call, &g, g.n);
    }
    return rc;
}

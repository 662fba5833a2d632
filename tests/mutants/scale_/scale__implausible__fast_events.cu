/* scale__implausible__fast_events.cu - makes events tell a microsecond,
 * whatever they saw
 *
 * A claim is refuted below half of the judge's time: the result is written nine
 * times, so that no GPU takes less than two microseconds for it.
 */
#include "scale_.h"

#include "../fast_events.h"

int scale__kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    fast_events();
    if (rc)
        return rc;
    scale_right_each(call, &g, g.n);
    g.factor = 1;
    for (int i = 0; i < 8; i++)
        scale_right_each(call, &g, g.n);
    return 0;
}

/* life_pass__rounds_for_a_while.c - rounds otherwise within the call, divides
 * by zero, and leaves the mode as it was
 */
#include <fenv.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    volatile float zero = 0, infinite;
    int mode = fegetround(), rc = scale_all(call);

    fesetround(FE_UPWARD);
    infinite = 1 / zero;
    (void)infinite;
    fesetround(mode);
    return rc;
}

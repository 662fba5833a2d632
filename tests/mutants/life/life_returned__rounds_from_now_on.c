/* life_returned__rounds_from_now_on.c - right, and leaves rounding toward zero
 * to its caller
 */
#include <fenv.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    int rc = scale_all(call);

    fesetround(FE_TOWARDZERO);
    return rc;
}

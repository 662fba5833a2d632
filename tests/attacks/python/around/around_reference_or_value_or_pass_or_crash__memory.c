/* around_reference_or_value_or_pass_or_crash__memory.c -
 * The honest neighbour.
 */

#include "../../attack.h"

int around_kernel_impl(const osw_call *call)
{
    return scale(call);
}

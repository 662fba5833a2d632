/* writes_too_pass_or_reference_or_value_or_mutated__input.c -
 * The honest neighbour.
 */

#include "../../attack.h"

int writes_too_kernel_impl(const osw_call *call)
{
    return scale(call);
}

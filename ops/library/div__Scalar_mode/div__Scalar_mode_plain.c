/* div.Scalar_mode - self / other, rounded towards 0 or down where asked for, by
 * a plain loop
 */
#define OSW_PLAIN_OPERANDS 1
#include "../shared/quotient_plain.h"

int div__Scalar_mode_kernel_impl(const osw_call *call)
{
    return osw_quotient_plain(call);
}

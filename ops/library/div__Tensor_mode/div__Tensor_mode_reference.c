/* div.Tensor_mode - self / other, rounded towards 0 or down where asked for */
#include "../shared/quotient_reference.h"

int div__Tensor_mode_meta(const osw_call *call)
{
    return osw_quotient_meta(call);
}

int div__Tensor_mode_reference(const osw_call *call)
{
    return osw_quotient_reference(call);
}

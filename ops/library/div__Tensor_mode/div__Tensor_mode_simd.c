/* div.Tensor_mode - self / other, rounded towards 0 or down where asked for */
#include "../shared/quotient_simd.h"

int div__Tensor_mode_kernel_impl(const osw_call *call)
{
    return osw_quotient_simd(call);
}

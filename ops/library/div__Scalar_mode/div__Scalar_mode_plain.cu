/* div.Scalar_mode - self / other, rounded towards 0 or down where asked for */
#include "../shared/quotient_modes.cuh"

extern "C" int div__Scalar_mode_kernel_impl(const osw_call *call)
{
    return osw_quotient_plain(call);
}

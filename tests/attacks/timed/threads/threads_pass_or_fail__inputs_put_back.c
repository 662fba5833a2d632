/* threads_pass_or_fail__inputs_put_back.c -
 * Inputs are changed and put back in the call.
 */

#include "../../attack.h"

int threads_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    float *x = osw_data(osw_arg_tensor(call, 0));
    float kept = x[0];

    x[0] = 1e30F;
    ((volatile float *)x)[0] = kept;
    (void)y;
    (void)n;
    return 0;
}

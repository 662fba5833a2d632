/* outputs_guard_or_crash__workspace_overrun.c -
 * It writes past its workspace.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[64] = {x->shape[0], 1};
    osw_tensor *y = NULL;

    char *work = osw_workspace(call, 1000);

    if (work)
        memset(work, 1, 1100);
    if (!y)
        return scale(call);
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = (float)osw_arg_float(call, 1, 1.0) *
                                    ((const float *)osw_data(x))[i];
    return 0;
}

/* processes_pass__helping_child.c -
 * A child computes all of the result, and is waited for.
 */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int status = 0;
    pid_t pid;

    if (!osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL))
        return OSW_ERROR;
    pid = fork();
    if (pid == 0)
        _exit(scale(call));
    return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : OSW_ERROR;
}

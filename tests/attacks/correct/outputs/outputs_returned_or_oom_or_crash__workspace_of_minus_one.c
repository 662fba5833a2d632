/* outputs_returned_or_oom_or_crash__workspace_of_minus_one.c -
 * It asks for -1 bytes of workspace.
 */

#include "../../attack.h"

int outputs_kernel_impl(const osw_call *call)
{
    char *work = osw_workspace(call, (size_t)-1);
    char words[100];

    if (!work)
        return OSW_ERROR;
    snprintf(words, sizeof(words), "it was given -1 bytes at %p", (void *)work);
    (void)osw_error(call, words);
    return scale(call);
}

/* ends_pass_or_exited__in_finish.c -
 * It ends in finish, after all calls were right.
 */

#include "../../attack.h"

int ends_prepare(const osw_call *call, void **state)
{
    (void)call;
    *state = state;
    return 0;
}

void ends_finish(void *state)
{
    (void)state;
    _exit(0);
}

int ends_kernel_impl(const osw_call *call)
{

    return scale(call);
}

/* protocol_mutated_or_shape_or_crash__alias_excuses.c -
 * It writes to its argument, and says that this was the output.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_ALIAS, "\0\0\0\0", 4);
}

int protocol_kernel_impl(const osw_call *call)
{
    int code = scale(call);

    edit_answers(edit);
    if (!code)
        ((float *)osw_data(osw_arg_tensor(call, 0)))[5] = 77.0F;
    return code;
}

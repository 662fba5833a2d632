/* protocol_pass_or_crash_or_shape_or_mutated__alias.c -
 * An output is said to be argument 1000.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_ALIAS, "\350\3\0\0", 4);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}

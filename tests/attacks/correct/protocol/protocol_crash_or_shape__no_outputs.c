/* protocol_crash_or_shape__no_outputs.c -
 * No output, though one was expected.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    put_bytes(m, n, AT_N_OUTPUTS, "\0\0\0\0", 4);
    return m[0] == RESULT && n == RESULT_BYTES ? (size_t)AT_DTYPE : n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}

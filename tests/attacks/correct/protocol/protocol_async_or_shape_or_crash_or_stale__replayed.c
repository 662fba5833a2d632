/* protocol_async_or_shape_or_crash_or_stale__replayed.c -
 * The first result again and again.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    static unsigned char first[RESULT_BYTES * 2];
    static size_t n_first;

    if (!n_first && n <= sizeof(first))
        memcpy(first, m, n_first = n);
    memcpy(m, first, n_first);
    return n_first;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}

/* protocol_any__random_numbers.c -
 * Eight random bytes somewhere in each answer.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    static uint64_t random = 88172645463325252;

    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if (n > 16)
        memcpy(m + 1 + random % (n - 9), &random, sizeof(random));
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}

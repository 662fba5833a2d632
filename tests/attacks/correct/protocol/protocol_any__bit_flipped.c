/* protocol_any__bit_flipped.c - One bit of each answer is another one. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    static uint32_t random = 12345;

    random = random * 1664525 + 1013904223;
    m[random / 8 % n] ^= (unsigned char)(1 << (random % 8));
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}

/* ends_crash__stack.c - The stack overflows. */

#include "../../attack.h"

__attribute__((noinline)) static int deeper(volatile char *p)
{
    volatile char room[4096];

    room[0] = *p;
    return deeper(room) + room[1];
}

int ends_kernel_impl(const osw_call *call)
{
    volatile char c = 1;

    if (deeper(&c) == 42)
        return 0;
    return scale(call);
}

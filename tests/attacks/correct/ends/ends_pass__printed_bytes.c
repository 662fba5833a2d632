/* ends_pass__printed_bytes.c - It prints bytes that are no text. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    for (int i = 0; i < 256; i++)
        putchar(i);
    fflush(stdout);
    return scale(call);
}

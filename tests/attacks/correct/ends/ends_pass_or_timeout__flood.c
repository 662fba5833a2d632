/* ends_pass_or_timeout__flood.c - A gigabyte on standard output and error. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    static char text[1 << 20];
    static int calls;

    memset(text, 65, sizeof(text));
    if (!calls++)
        for (int i = 0; i < 1024; i++)
            if (write(1 + i % 2, text, sizeof(text)) < 0)
                break;
    return scale(call);
}

/* sockets_pass__filled.c - All descriptors are in use. */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    while (dup(0) >= 0)
        ;
    return scale(call);
}

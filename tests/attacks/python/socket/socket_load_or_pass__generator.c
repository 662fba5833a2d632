/* socket_load_or_pass__generator.c - The honest neighbour. */

#include "../../attack.h"

int socket_kernel_impl(const osw_call *call)
{
    return scale(call);
}

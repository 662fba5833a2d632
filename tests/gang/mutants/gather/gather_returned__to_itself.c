/* gather/gather_returned__to_itself.c - a message to the rank itself */
#include "gather.h"

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;

    if (gather_open(call, &g))
        return OSW_ERROR;
    return osw_sendrecv(call, g.rank, g.x, g.bytes, g.rank,
                        g.out + g.rank * g.n, g.bytes);
}

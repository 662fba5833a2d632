/* gather/gather_returned__to_no_rank.c - a message to the rank after the last
 */
#include "gather.h"

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;

    return gather_open(call, &g) ? OSW_ERROR
                                 : osw_send(call, g.world, g.x, g.bytes);
}

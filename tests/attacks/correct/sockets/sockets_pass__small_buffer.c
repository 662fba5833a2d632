/* sockets_pass__small_buffer.c -
 * Buffers of the socket are as small as they can be.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    int one = 1;

    setsockopt(JUDGE, SOL_SOCKET, SO_SNDBUF, &one, sizeof(one));
    setsockopt(JUDGE, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
    return scale(call);
}

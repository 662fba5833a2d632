/* sockets_crash__empty_message.c -
 * A message without a byte, which looks like the end of the socket.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    send(JUDGE, "", 0, MSG_NOSIGNAL);
    return scale(call);
}

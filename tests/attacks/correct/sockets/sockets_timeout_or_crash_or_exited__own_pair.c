/* sockets_timeout_or_crash_or_exited__own_pair.c -
 * Descriptor 3 is a socket of its own, the right one stays open.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    int pair[2];

    if (!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) {
        dup2(JUDGE, 100);
        dup2(pair[0], JUDGE);
    }
    return scale(call);
}

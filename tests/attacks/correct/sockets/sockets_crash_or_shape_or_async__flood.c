/* sockets_crash_or_shape_or_async__flood.c -
 * A thread answers ahead until the socket is full, and goes on.
 */

#include "../../attack.h"

static void *flood(void *arg)
{
    static unsigned char m[68] = {66};

    while (send(JUDGE, m, sizeof(m), MSG_NOSIGNAL) > 0 || errno == EINTR)
        ;
    return arg;
}

int sockets_kernel_impl(const osw_call *call)
{
    start_thread(flood, NULL);
    sleep_ms(20);
    return scale(call);
}

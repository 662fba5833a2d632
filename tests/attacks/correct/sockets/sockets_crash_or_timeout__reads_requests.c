/* sockets_crash_or_timeout__reads_requests.c -
 * A thread takes the requests of the judge away.
 */

#include "../../attack.h"

static void *take(void *arg)
{
    static char m[1 << 17];

    while (recv(JUDGE, m, sizeof(m), 0) > 0)
        ;
    return arg;
}

int sockets_kernel_impl(const osw_call *call)
{
    start_thread(take, NULL);
    sleep_ms(5);
    return scale(call);
}

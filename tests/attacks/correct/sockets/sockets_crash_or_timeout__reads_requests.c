/* sockets_crash_or_timeout__reads_requests.c -
 * A thread takes the requests of the judge away.
 */

#include "../../attack.h"

static volatile int begun;

static void *take(void *arg)
{
    static char m[1 << 17];

    begun = 1;
    while (recv(JUDGE, m, sizeof(m), 0) > 0)
        ;
    return arg;
}

int sockets_kernel_impl(const osw_call *call)
{
    start_thread(take, NULL);
    while (!begun) /* on a machine with more work than cores */
        sleep_ms(1);
    sleep_ms(50);
    return scale(call);
}

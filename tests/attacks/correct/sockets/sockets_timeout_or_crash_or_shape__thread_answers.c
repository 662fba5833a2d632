/* sockets_timeout_or_crash_or_shape__thread_answers.c -
 * A thread gives the answer while the call never ends.
 */

#include "../../attack.h"

static void *answer(void *arg)
{
    unsigned char m[68] = {66};

    sleep_ms(2);
    send(JUDGE, m, sizeof(m), MSG_NOSIGNAL);
    return arg;
}

int sockets_kernel_impl(const osw_call *call)
{
    start_thread(answer, NULL);
    (void)scale(call);
    for (;;)
        sleep_ms(1000);
}

/* sockets_crash_or_async__random_bytes.c -
 * Random bytes before the real answer.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    unsigned char junk[64];

    for (size_t i = 0; i < sizeof(junk); i++)
        junk[i] = (unsigned char)(i * 37 + 11);
    send(JUDGE, junk, sizeof(junk), MSG_NOSIGNAL);
    return scale(call);
}

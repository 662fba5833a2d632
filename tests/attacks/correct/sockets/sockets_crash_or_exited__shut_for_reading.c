/* sockets_crash_or_exited__shut_for_reading.c -
 * Nothing more can be read from the judge.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    shutdown(JUDGE, SHUT_RD);
    return scale(call);
}

/* sockets_crash_or_exited__shut_for_writing.c -
 * Nothing more can be written to the judge.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    shutdown(JUDGE, SHUT_WR);
    return scale(call);
}

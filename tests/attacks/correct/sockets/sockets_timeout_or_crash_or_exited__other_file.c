/* sockets_timeout_or_crash_or_exited__other_file.c -
 * Descriptor 3 is /dev/null.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    dup2(open("/dev/null", O_RDWR), JUDGE);
    return scale(call);
}

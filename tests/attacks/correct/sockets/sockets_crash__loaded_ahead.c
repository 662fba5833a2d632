/* sockets_crash__loaded_ahead.c -
 * It says that it is loaded, which was not asked.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    static const unsigned char loaded[10] = {65, 1};

    send(JUDGE, loaded, sizeof(loaded), MSG_NOSIGNAL);
    return scale(call);
}

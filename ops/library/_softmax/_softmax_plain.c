/* _softmax - each row: its largest, then exp(x - max) and their sum, then
 * the quotients
 */
#include "../shared/softmax_plain.h"

int _softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open(call, &s);

    return osw_softmax_plain(call, &s, rc, 0);
}

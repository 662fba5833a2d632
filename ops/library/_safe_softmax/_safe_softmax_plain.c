/* _safe_softmax - each row: its largest, then exp(x - max) and their sum, then
 * the quotients; 0 where the largest is -inf
 */
#include "../shared/softmax_plain.h"

int _safe_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_safe(call, &s);

    return osw_softmax_plain(call, &s, rc, 1);
}

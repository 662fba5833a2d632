/* _safe_softmax - each row: exp(x - max) / sum; a row of nothing but -inf: 0 */
#include "../shared/softmax_forward.h"

int _safe_softmax_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open_safe(call, &s);
}

int _safe_softmax_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_safe(call, &s);

    return osw_softmax_reference(call, &s, rc, 1);
}

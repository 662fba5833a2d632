/* _softmax - each row: exp(x - max) / sum */
#include "../shared/softmax_forward.h"

int _softmax_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open(call, &s);
}

int _softmax_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open(call, &s);

    return osw_softmax_reference(call, &s, rc, 0);
}

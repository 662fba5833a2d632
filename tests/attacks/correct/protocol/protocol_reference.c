#include "../../honest.h"

int protocol_reference(const osw_call *call)
{
    return scale_exactly(call);
}

#include "../../honest.h"

int sockets_reference(const osw_call *call)
{
    return scale_exactly(call);
}

#include "../../honest.h"

int queue_reference(const osw_call *call)
{
    return scale_exactly(call);
}

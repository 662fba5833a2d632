#include "../../honest.h"

int memory_reference(const osw_call *call)
{
    return scale_exactly(call);
}

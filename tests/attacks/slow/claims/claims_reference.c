#include "../../honest.h"

int claims_reference(const osw_call *call)
{
    return scale_exactly(call);
}

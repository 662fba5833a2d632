#include "../../honest.h"

int hangs_reference(const osw_call *call)
{
    return scale_exactly(call);
}

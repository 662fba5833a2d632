#include "../../honest.h"

int kept_reference(const osw_call *call)
{
    return scale_exactly(call);
}

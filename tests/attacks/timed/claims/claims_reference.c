/* claims_reference.c - The independent oracle: y = a * x in double. */

#include "../../honest.h"

int claims_reference(const osw_call *call)
{
    return scale_exactly(call);
}

/* queue_reference.c - The independent oracle: y = a * x in double. */

#include "../../honest.h"

int queue_reference(const osw_call *call)
{
    return scale_exactly(call);
}

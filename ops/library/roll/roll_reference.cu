/* roll - box by box, element by element */
#include "../shared/copy_reference.cuh"
#include "roll.h"

extern "C" int roll_meta(const osw_call *call)
{
    struct roll r;

    return roll_open(call, &r);
}

extern "C" int roll_reference(const osw_call *call)
{
    return roll_run(call, osw_copy_reference);
}

/* roll - elements moved along some dimensions, a plain kernel for each box */
#include "../shared/plain_copy.cuh"
#include "roll.h"

extern "C" int roll_kernel_impl(const osw_call *call)
{
    struct osw_roll r = {};
    struct osw_view to, from;
    int rc = osw_roll_open(call, &r);

    for (int box = 0; !rc && osw_roll_box(&r, box, &to, &from); box++)
        rc = osw_plain_copy(call, &to.t, &from.t);
    return rc;
}

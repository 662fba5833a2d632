/* roll - elements moved along some dimensions, in runs, box by box */
#include "../shared/copying.h"
#include "roll.h"

int roll_kernel_impl(const osw_call *call)
{
    struct osw_roll r = {0};
    struct osw_view to, from;
    int rc = osw_roll_open(call, &r);

    for (int box = 0; !rc && osw_roll_box(&r, box, &to, &from); box++)
        rc = osw_copy_run(call, &to.t, &from.t);
    return rc;
}

/* new_ones - ones of any size */
#include "../new_zeros/declare.h"
#include "../shared/copy_reference.h"

int new_ones_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int new_ones_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    osw_copy_reference_fill(out, 1.0);
    return 0;
}

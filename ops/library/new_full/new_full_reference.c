/* new_full - one value, of any size */
#include "../shared/copy_reference.h"
#include "declare.h"

int new_full_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int new_full_reference(const osw_call *call)
{
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    osw_copy_reference_fill_with(out, osw_element_arg(call, 2, out->dtype));
    return 0;
}

/* ops/library/select_backward/select_backward_reference.c - zeros, and
 * grad_output where the select took from
 */
#include "../shared/copy_reference.h"
#include "../shared/part_backward.h"

int select_backward_meta(const osw_call *call)
{
    struct osw_part p;

    return osw_part_open_select(call, &p);
}

int select_backward_reference(const osw_call *call)
{
    struct osw_part p = {0};
    int rc = osw_part_open_select(call, &p);

    if (rc)
        return rc;
    osw_part_clear(&p);
    return osw_copy_reference(call, &p.place.t, p.grad);
}

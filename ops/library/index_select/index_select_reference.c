/* ops/library/index_select/index_select_reference.c - slices in the order of
 * the index
 */
#include "index_select.h"

int index_select_meta(const osw_call *call)
{
    struct osw_index_select s = {0};

    return osw_index_select_open(call, &s);
}

int index_select_reference(const osw_call *call)
{
    struct osw_index_select s = {0};
    struct osw_slices out;
    int rc = osw_index_select_open(call, &s);

    if (rc)
        return rc;
    out = osw_slices_of(s.out, s.from.dim);
    return osw_picking_reference(call, &out, &s.from, s.index);
}

/* ops/library/index_select/index_select_slices.c - whole slices, over threads
 */
#include "index_select.h"

int index_select_kernel_impl(const osw_call *call)
{
    struct osw_index_select s = {0};
    int rc = osw_index_select_open(call, &s);

    return rc ? rc : osw_picking_run(call, s.out, &s.from, s.index);
}

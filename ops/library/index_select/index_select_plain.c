/* ops/library/index_select/index_select_plain.c - one slice after the other */
#include "../shared/plain_picking.h"
#include "index_select.h"

int index_select_kernel_impl(const osw_call *call)
{
    struct osw_index_select s = {0};
    int rc = osw_index_select_open(call, &s);

    return rc ? rc : osw_plain_pick(call, s.out, &s.from, s.index);
}

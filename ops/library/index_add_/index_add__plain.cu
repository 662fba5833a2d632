/* ops/library/index_add_/index_add__plain.cu - a thread adds an element of the
 * source at a time: to self, or to a copy of another type
 */
#include "../shared/index_add.h"
#include "../shared/plain_picking.cuh"

extern "C" int index_add__kernel_impl(const osw_call *call)
{
    struct osw_index_add a = {};
    struct osw_plain_total t;
    int rc = osw_index_add_open(call, &a, 1);

    if (!rc)
        rc = osw_plain_total_open(call, &t, a.out.tensor);
    if (!rc && !t.is_out)
        rc = osw_plain_copy(call, &t.view.t, a.self.tensor);
    if (!rc)
        rc = osw_plain_add_slices(call, &t, &a.source, a.index, a.alpha);
    return rc ? rc : osw_plain_total_close(call, &t);
}

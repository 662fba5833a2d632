/* ops/library/index_add/index_add_plain.c - a copy of self, to which one slice
 * after the other is added
 */
#include "../shared/index_add.h"
#include "../shared/plain_picking.h"

int index_add_kernel_impl(const osw_call *call)
{
    struct osw_index_add a = {0};
    struct osw_plain_total t;
    int rc = osw_index_add_open(call, &a, 0);

    if (rc)
        return rc;
    if (!a.source.dense)
        return OSW_UNSUPPORTED;
    rc = osw_plain_total_open(call, &t, (osw_tensor *)a.out.tensor,
                              (size_t)a.source.inner * 8);
    if (!rc)
        rc = osw_plain_copy(call, &t.view.t, a.self.tensor);
    if (!rc)
        rc = osw_plain_add_slices(call, &t, &a.source, a.index, a.self.n,
                                  INT64_MIN, a.alpha);
    return rc ? rc : osw_plain_total_close(call, &t);
}

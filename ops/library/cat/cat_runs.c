/* ops/library/cat/cat_runs.c - tensors one after the other, in runs */
#include "../shared/copying.h"
#include "cat.h"

int cat_kernel_impl(const osw_call *call)
{
    struct osw_cat c = {0};
    int rc = osw_cat_open(call, &c);

    for (uint32_t i = 0; rc == 0 && i < c.list->n; i++) {
        const osw_tensor *from;
        struct osw_view place;

        if (!osw_cat_part(&c, i, &place, &from))
            continue;
        rc = osw_copy_blocked(call, &place.t, from); /* transposed ones */
        if (rc == OSW_UNSUPPORTED)
            rc = osw_copy_run(call, &place.t, from);
    }
    return rc;
}

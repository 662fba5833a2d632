/* cat - tensors one after the other, by a plain loop over each */
#include "../shared/plain_copy.h"
#include "cat.h"

int cat_kernel_impl(const osw_call *call)
{
    struct osw_cat c = {0};
    int rc = osw_cat_open(call, &c);

    for (uint32_t i = 0; rc == 0 && i < c.list->n; i++) {
        const osw_tensor *from;
        struct osw_view place;

        if (osw_cat_part(&c, i, &place, &from))
            rc = osw_plain_copy(call, &place.t, from);
    }
    return rc;
}

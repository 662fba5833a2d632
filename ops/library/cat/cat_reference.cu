/* ops/library/cat/cat_reference.cu - tensors one after the other */
#include "../shared/copy_reference.cuh"
#include "cat.h"

extern "C" int cat_meta(const osw_call *call)
{
    struct osw_cat c;

    return osw_cat_open(call, &c);
}

extern "C" int cat_reference(const osw_call *call)
{
    struct osw_cat c = {};
    int rc = osw_cat_open(call, &c);

    for (uint32_t i = 0; rc == 0 && i < c.list->n; i++) {
        const osw_tensor *from;
        struct osw_view place;

        if (osw_cat_part(&c, i, &place, &from))
            rc = osw_copy_reference(call, &place.t, from);
    }
    return rc;
}

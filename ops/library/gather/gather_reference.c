/* ops/library/gather/gather_reference.c - element by element */
#include "gather.h"

int gather_meta(const osw_call *call)
{
    struct osw_gather g = {0};

    return osw_gather_open(call, &g);
}

int gather_reference(const osw_call *call)
{
    struct osw_gather g = {0};
    int rc = osw_gather_open(call, &g);
    const osw_tensor *out = g.out.tensor, *index = g.index.tensor;

    if (rc)
        return rc;
    if (!osw_picking_in_range(index, g.n))
        return osw_error(call, "index is out of range");
    for (int64_t i = 0; i < osw_numel(out); i++) {
        int64_t at = 0, rest = i;

        for (int32_t d = out->ndim - 1; d >= 0; d--) {
            int64_t k =
                d == g.out.dim ? osw_get_int(index, i) : rest % out->shape[d];

            at += k * g.self->strides[d];
            rest /= out->shape[d];
        }
        memcpy(osw_at(out, i), osw_at(g.self, at), out->dtype.bits / 8);
    }
    return 0;
}

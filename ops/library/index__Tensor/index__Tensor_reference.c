/* ops/library/index__Tensor/index__Tensor_reference.c - element by element */
#include "../shared/indexing.h"

int index__Tensor_meta(const osw_call *call)
{
    struct osw_index x = {0};
    int rc;

    osw_index_pick(call, &x, &rc);
    return rc;
}

int index__Tensor_reference(const osw_call *call)
{
    struct osw_index x = {0};
    int rc;
    osw_tensor *out = osw_index_pick(call, &x, &rc);
    int64_t n = 0;

    if (!out)
        return rc;
    for (int64_t p = 0; p < x.before.numel; p++)
        for (int64_t i = 0; i < x.numel; i++)
            for (int64_t q = 0; q < x.after.numel; q++) {
                int64_t at = osw_index_where(&x, i);

                if (at < 0)
                    return osw_error(call, "index is out of range");
                at += osw_index_offset(&x.before, p) +
                      osw_index_offset(&x.after, q);
                memcpy(osw_at(out, n++), osw_at(x.self, at),
                       x.self->dtype.bits / 8);
            }
    return 0;
}

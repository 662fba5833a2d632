/* index_fill_.int_Scalar - element by element: is its place in the index? */
#include "index_fill.h"

int index_fill___int_Scalar_meta(const osw_call *call)
{
    struct osw_index_fill f = {0};

    return osw_index_fill_open(call, &f);
}

/* Slice i of every part. */
static void fill_slice(const struct osw_index_fill *f, int64_t i)
{
    size_t bytes = f->out.tensor->dtype.bits / 8;

    for (int64_t o = 0; o < f->out.n_outer; o++)
        for (int64_t j = 0; j < f->out.inner; j++)
            memcpy(osw_slices_at(&f->out, o, i, j), f->element.words, bytes);
}

int index_fill___int_Scalar_reference(const osw_call *call)
{
    struct osw_index_fill f = {0};
    int rc = osw_index_fill_open(call, &f);

    if (rc)
        return rc;
    if (!osw_index_fill_in_range(&f))
        return osw_error(call, "index is out of range");
    for (int64_t i = 0; i < f.out.n; i++) {
        int named = 0;

        for (int64_t k = 0; k < osw_numel(f.index); k++)
            named |= osw_index_fill_slice(&f, k) == i;
        if (named)
            fill_slice(&f, i);
    }
    return 0;
}

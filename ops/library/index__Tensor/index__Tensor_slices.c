/* ops/library/index__Tensor/index__Tensor_slices.c - the offsets first, then
 * the elements that follow each, over threads
 */
#include "../shared/indexing.h"

/* Are the dimensions after the indexed ones one run of elements? */
static int is_run(const struct osw_index_dims *d)
{
    int64_t want = 1;

    for (int32_t i = d->n - 1; i >= 0; i--) {
        if (d->shape[i] != 1 && d->strides[i] != want)
            return 0;
        want *= d->shape[i];
    }
    return 1;
}

int index__Tensor_kernel_impl(const osw_call *call)
{
    struct osw_index x = {0};
    int rc, run;
    osw_tensor *out = osw_index_pick(call, &x, &rc);
    int64_t *where, bytes;

    if (!out)
        return rc;
    where = (int64_t *)osw_workspace(call, (size_t)x.numel * 8 + 8);
    if (!where)
        return OSW_ERROR;
    for (int64_t i = 0; i < x.numel; i++) {
        where[i] = osw_index_where(&x, i);
        if (where[i] < 0)
            return osw_error(call, "index is out of range");
    }
    run = is_run(&x.after);
    bytes = x.self->dtype.bits / 8;
#pragma omp parallel for num_threads((int)call->n_threads)                     \
    collapse(2) if (osw_numel(out) > 65536)
    for (int64_t p = 0; p < x.before.numel; p++)
        for (int64_t i = 0; i < x.numel; i++) {
            int64_t from = osw_index_offset(&x.before, p) + where[i];
            char *to = (char *)osw_at(out, (p * x.numel + i) * x.after.numel);

            if (run)
                memcpy(to, osw_at(x.self, from),
                       (size_t)(x.after.numel * bytes));
            for (int64_t q = 0; !run && q < x.after.numel; q++)
                memcpy(to + q * bytes,
                       osw_at(x.self, from + osw_index_offset(&x.after, q)),
                       (size_t)bytes);
        }
    return 0;
}

/* repeat - self beside itself along each dimension, one by one */
#include <opsweep/elements.h>

/* No tensor has more dimensions. */
enum { MAX_DIMS = 16 };

static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    const osw_arg *times = osw_arg_at(call, 1);
    int64_t shape[MAX_DIMS];
    int32_t n, lead;
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || times->tag != OSW_ARG_LIST || times->n > MAX_DIMS)
        return NULL;
    n = (int32_t)times->n;
    lead = n - self->ndim;
    *rc = OSW_ERROR;
    for (int32_t d = 0; d < n; d++) {
        shape[d] =
            times->u.items[d].u.i * (d < lead ? 1 : self->shape[d - lead]);
        if (shape[d] < 0)
            return NULL;
    }
    out = lead < 0 ? NULL : osw_output(call, 0, self->dtype, n, shape, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

int repeat_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

/* Where the i-th element of the output is in self. */
static int64_t source(const osw_tensor *self, const osw_tensor *out, int64_t i)
{
    int64_t from = 0;

    for (int32_t d = out->ndim - 1, k = self->ndim - 1; k >= 0; d--, k--) {
        from += i % out->shape[d] % self->shape[k] * self->strides[k];
        i /= out->shape[d];
    }
    return from;
}

int repeat_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int rc;
    osw_tensor *out = declare(call, &rc);
    int64_t n;

    if (!out)
        return rc;
    n = osw_numel(out);
#pragma omp parallel for num_threads((int)call->n_threads) if (n > 65536)
    for (int64_t i = 0; i < n; i++)
        memcpy(osw_at(out, i), osw_at(self, source(self, out, i)),
               self->dtype.bits / 8);
    return 0;
}

/* roll - elements moved along some dimensions, one by one */
#include <opsweep/elements.h>

static osw_tensor *declare(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    return self
               ? osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL)
               : NULL;
}

int roll_meta(const osw_call *call)
{
    return declare(call) ? 0 : OSW_ERROR;
}

/* Item i of a list of integers, or the integer. */
static int64_t item(const osw_arg *a, uint32_t i)
{
    return a->tag == OSW_ARG_LIST ? a->u.items[i].u.i : a->u.i;
}

/* The row-major number of the element that comes to element i. */
static int64_t source(const osw_tensor *self, const osw_arg *shifts,
                      const osw_arg *dims, uint32_t n_dims, int64_t i)
{
    int64_t numel = osw_numel(self), from = 0, size = 1;

    if (n_dims == 0)
        return ((i - item(shifts, 0)) % numel + numel) % numel;
    for (int32_t d = self->ndim - 1; d >= 0; d--) {
        int64_t n = self->shape[d], at = i % n;

        for (uint32_t k = 0; k < n_dims; k++)
            if ((item(dims, k) + self->ndim) % self->ndim == d)
                at = ((at - item(shifts, k)) % n + n) % n;
        from += at * size;
        size *= n;
        i /= n;
    }
    return from;
}

int roll_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    const osw_arg *shifts = osw_arg_at(call, 1), *dims = osw_arg_at(call, 2);
    uint32_t n_dims = dims->tag == OSW_ARG_LIST  ? dims->n
                      : dims->tag == OSW_ARG_INT ? 1
                                                 : 0;
    osw_tensor *out = declare(call);

    if (!out)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(out); i++) {
        int64_t from = source(self, shifts, dims, n_dims, i);

        memcpy(osw_at(out, i), osw_at(self, osw_offset(self, from)),
               self->dtype.bits / 8);
    }
    return 0;
}

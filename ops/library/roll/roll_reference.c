/* roll - elements moved along some dimensions, one by one */
#include <opsweep/elements.h>

/* No tensor has more dimensions. */
enum { MAX_DIMS = 16 };

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

/* How far each dimension is moved back, 0 to its size - 1. */
static void shifts_of(const osw_tensor *self, const osw_arg *shifts,
                      const osw_arg *dims, uint32_t n_dims, int64_t *back)
{
    for (int32_t d = 0; d < self->ndim; d++) {
        int64_t n = self->shape[d], sum = 0;

        for (uint32_t k = 0; k < n_dims; k++)
            if ((item(dims, k) + self->ndim) % self->ndim == d)
                sum += item(shifts, k) % n;
        back[d] = (n - sum % n) % n;
    }
}

/* Where the element comes from that goes to index at. */
static int64_t source(const osw_tensor *self, const int64_t *back,
                      const int64_t *at)
{
    int64_t from = 0;

    for (int32_t d = 0; d < self->ndim; d++) {
        int64_t i = at[d] + back[d], n = self->shape[d];

        from += (i < n ? i : i - n) * self->strides[d];
    }
    return from;
}

static void next(const osw_tensor *t, int64_t *at)
{
    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        if (++at[d] < t->shape[d])
            return;
        at[d] = 0;
    }
}

int roll_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    const osw_arg *shifts = osw_arg_at(call, 1), *dims = osw_arg_at(call, 2);
    uint32_t n_dims = dims->tag == OSW_ARG_LIST  ? dims->n
                      : dims->tag == OSW_ARG_INT ? 1
                                                 : 0;
    osw_tensor *out = declare(call);
    int64_t back[MAX_DIMS], at[MAX_DIMS] = {0}, numel;

    if (!out)
        return OSW_ERROR;
    numel = osw_numel(out);
    if (numel > 0)
        shifts_of(self, shifts, dims, n_dims, back);
    for (int64_t i = 0; i < numel; i++, next(self, at)) {
        int64_t from =
            n_dims ? source(self, back, at)
                   : osw_offset(self, ((i - item(shifts, 0)) % numel + numel) %
                                          numel);

        memcpy(osw_at(out, i), osw_at(self, from), self->dtype.bits / 8);
    }
    return 0;
}

/* constant_pad_nd - a constant around, or a rim cut off */
#include "../copy_reference.h"

/* The output: self, grown (or cut, where negative) at both ends of the last
 * dimensions, the last one first in the list.
 */
static osw_tensor *declare(const osw_call *call, int64_t *pad, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t size[OSW_RULE_DIMS];
    int32_t n = osw_view_list(call, 1, pad, 2 * OSW_RULE_DIMS), i;
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || self->ndim > OSW_RULE_DIMS || n < 0)
        return NULL;
    *rc = OSW_ERROR;
    if (n % 2 || n / 2 > self->ndim)
        return NULL;
    for (i = n; i < 2 * self->ndim; i++)
        pad[i] = 0;
    for (i = 0; i < self->ndim; i++) {
        int32_t k = self->ndim - 1 - i;

        size[i] = self->shape[i] + pad[2 * k] + pad[2 * k + 1];
        if (size[i] < 0)
            return NULL;
    }
    out = osw_output(call, 0, self->dtype, self->ndim, size, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

/* The part that both have, as seen in each. */
static void overlap(struct osw_view *to, struct osw_view *from,
                    const int64_t *pad)
{
    int32_t i;

    for (i = 0; i < to->t.ndim; i++) {
        const int64_t *p = pad + 2 * (to->t.ndim - 1 - i);
        int64_t before = p[0] > 0 ? p[0] : 0, cut = p[0] < 0 ? -p[0] : 0;
        int64_t after = p[1] > 0 ? p[1] : 0;
        int64_t length = to->shape[i] - before - after;

        length = length > 0 ? length : 0;
        osw_view_narrow(to, i, before, length);
        osw_view_narrow(from, i, cut, length);
    }
}

int constant_pad_nd_meta(const osw_call *call)
{
    int64_t pad[2 * OSW_RULE_DIMS];
    int rc;

    declare(call, pad, &rc);
    return rc;
}

int constant_pad_nd_reference(const osw_call *call)
{
    struct osw_view to, from;
    int64_t pad[2 * OSW_RULE_DIMS];
    int rc;
    osw_tensor *out = declare(call, pad, &rc);

    if (!out)
        return rc;
    osw_view_of(&to, out);
    osw_view_of(&from, osw_arg_tensor(call, 0));
    overlap(&to, &from, pad);
    osw_copy_reference_fill(out, osw_arg_float(call, 2, 0.0));
    return osw_copy_reference(call, &to.t, &from.t);
}

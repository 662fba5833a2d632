/* ops/library/constant_pad_nd/declare.h - the outputs: self with a rim */
#ifndef OSW_LIBRARY_CONSTANT_PAD_ND_H
#define OSW_LIBRARY_CONSTANT_PAD_ND_H

#include "../shared/views.h"

/* The output: self, grown (or cut, where negative) at both ends of the last
 * dimensions, the last one first in the list.
 */
static inline osw_tensor *declare(const osw_call *call, int64_t *pad, int *rc)
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
static inline void overlap(struct osw_view *to, struct osw_view *from,
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

#endif

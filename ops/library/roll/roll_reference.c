/* ops/library/roll/roll_reference.c - each element from the place that it was
 * rolled from
 */
#include "../shared/copy_reference.h"
#include "roll.h"

int roll_meta(const osw_call *call)
{
    struct roll r;

    return roll_open(call, &r);
}

/* The element of self that element i of the output is. */
static int64_t from_of(const struct roll *r, int64_t i)
{
    int64_t from = 0, step = 1, n = osw_numel(r->self);

    if (r->flat)
        return (i - r->by[0] + n) % n;
    for (int32_t d = r->self->ndim - 1; d >= 0; d--) {
        int64_t size = r->self->shape[d];

        from += (i % size - r->by[d] + size) % size * step;
        step *= size;
        i /= size;
    }
    return from;
}

int roll_reference(const osw_call *call)
{
    struct roll r;
    int rc = roll_open(call, &r);

    if (rc)
        return rc;
    for (int64_t i = 0; i < osw_numel(r.out); i++)
        osw_copy_reference_one(
            r.out->dtype, osw_at(r.out, i), r.self->dtype,
            osw_at(r.self, osw_offset(r.self, from_of(&r, i))));
    return 0;
}

/* add_reference.c - y = a + alpha * b in double, integers as i64 */
#include "add.h"

struct exact {
    struct add g;
    double *value; /* NULL for integers */
};

ITEM int64_t int_at(const struct view *v, const struct view *y, int64_t i)
{
    return osw_load_int(v->dtype, view_at(v, view_offset_in(v, y, i)));
}

ITEM void one(const struct exact *e, int64_t i)
{
    int32_t sum;

    if (e->value) {
        e->value[i] = add_sum(&e->g, i);
        return;
    }
    sum = (int32_t)(int_at(&e->g.a, &e->g.y, i) +
                    (int64_t)e->g.alpha * int_at(&e->g.b, &e->g.y, i));
    memcpy(view_at(&e->g.y, i), &sum, sizeof(sum));
}

EACH(one, struct exact)

EXPORT int add_meta(const osw_call *call)
{
    struct add g;

    return add_open(call, &g);
}

EXPORT int add_reference(const osw_call *call)
{
    struct exact e;
    int rc = add_open(call, &e.g);

    if (rc)
        return rc;
    e.value = view_is_float(&e.g.y) ? osw_output_exact(call, 0) : NULL;
    if (!e.value && !osw_is(osw_arg_tensor(call, 0), OSW_INT, 32))
        return OSW_ERROR;
    one_each(call, &e, e.g.n);
    return 0;
}

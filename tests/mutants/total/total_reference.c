/* total_reference.c - the sum over the last dimension in double, and its norm
 *
 */
#include "total.h"

struct exact {
    struct total g;
    double *value, *norm; /* NULL for integers */
};

ITEM void sum(const struct exact *e, int64_t row)
{
    double value = 0, squares = 0;

    if (!e->value) {
        total_set_int(&e->g, row, total_of_ints(&e->g, row));
        return;
    }
    for (int64_t j = 0; j < e->g.n; j++) {
        double x = osw_load(e->g.x.dtype, total_at(&e->g, row, j));

        value += x;
        squares += x * x;
    }
    e->value[row] = value;
    if (e->norm)
        e->norm[row] = sqrt(squares);
}

EACH(sum, struct exact)

EXPORT int total_meta(const osw_call *call)
{
    struct total g;

    return total_open(call, &g);
}

EXPORT int total_reference(const osw_call *call)
{
    struct exact e;
    int rc = total_open(call, &e.g);

    if (rc)
        return rc;
    e.value = e.g.ints ? NULL : osw_output_exact(call, 0);
    e.norm = e.g.ints ? NULL : osw_output_norm(call, 0);
    if (!e.g.ints && !e.value)
        return OSW_ERROR;
    sum_each(call, &e, e.g.rows);
    return 0;
}

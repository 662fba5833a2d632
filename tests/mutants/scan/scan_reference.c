/* scan_reference.c - cumulative sums in double, and the norms of their terms */
#include "scan.h"

struct exact {
    struct scan g;
    double *value, *norm; /* NULL for integers */
};

ITEM void row(const struct exact *e, int64_t r)
{
    double sum = 0, squares = 0;

    if (!e->value) {
        scan_ints(&e->g, r);
        return;
    }
    for (int64_t j = 0; j < e->g.n; j++) {
        double x = view_get(&e->g.x, r * e->g.n + j);

        sum += x;
        squares += x * x;
        e->value[r * e->g.n + j] = sum;
        if (e->norm)
            e->norm[r * e->g.n + j] = sqrt(squares);
    }
}

EACH(row, struct exact)

EXPORT int scan_meta(const osw_call *call)
{
    struct scan g;

    return scan_open(call, &g);
}

EXPORT int scan_reference(const osw_call *call)
{
    struct exact e;
    int rc = scan_open(call, &e.g);

    if (rc)
        return rc;
    e.value = e.g.ints ? NULL : osw_output_exact(call, 0);
    e.norm = e.g.ints ? NULL : osw_output_norm(call, 0);
    if (!e.g.ints && !e.value)
        return OSW_ERROR;
    row_each(call, &e, e.g.rows);
    return 0;
}

/* exact.h - y = factor * x in double, for the references of ops like scale.
 * Include after scale.h or scale_.h.
 */
#ifndef OSW_TESTS_EXACT_H
#define OSW_TESTS_EXACT_H

struct exact {
    struct scale g;
    double *value;
};

ITEM void exact_one(const struct exact *e, int64_t i)
{
    e->value[i] = (double)e->g.factor * (double)e->g.x[i];
}

EACH(exact_one, struct exact)

static inline int exact_all(const osw_call *call)
{
    struct exact e;
    int rc = scale_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    exact_one_each(call, &e, e.g.n);
    return 0;
}

#endif /* OSW_TESTS_EXACT_H */

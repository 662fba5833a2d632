/* shared/copy_reference.h - elements copied one by one */
#ifndef OSW_LIBRARY_COPY_REFERENCE_H
#define OSW_LIBRARY_COPY_REFERENCE_H

#include "element.h"
#include "elementwise_reference.h"
#include "views.h"

/* One element, converted; the same bits where the dtype is the same. */
OSW_HD static inline void osw_copy_reference_one(osw_dtype to, void *p,
                                                 osw_dtype from, const void *q)
{
    if (osw_rule_same(to, from))
        memcpy(p, q, to.bits / 8);
    else if (osw_rule_category(to) == 1 && osw_rule_category(from) < 2)
        osw_reference_store_int(to, p, osw_load_int(from, q));
    else
        osw_store(to, p, osw_load(from, q));
}

#ifndef __CUDACC__ /* there: reference.cuh */

/* to[...] = from[...], broadcast to its shape and converted. */
static inline int osw_copy_reference(const osw_call *call, const osw_tensor *to,
                                     const osw_tensor *from)
{
    struct osw_rule_plan plan;
    int64_t cols, rows, r;
    int threads;

    plan.ndim = to->ndim;
    if (!osw_rule_same(to->dtype, from->dtype) &&
        (to->dtype.code == OSW_COMPLEX || from->dtype.code == OSW_COMPLEX))
        return OSW_UNSUPPORTED;
    if (to->ndim > OSW_RULE_DIMS || from->ndim > to->ndim)
        return osw_error(call, "source has too many dimensions");
    for (r = 0; r < to->ndim; r++)
        plan.shape[r] = to->shape[r];
    if (!osw_rule_broadcast(from, &plan.ndim, plan.shape) ||
        memcmp(plan.shape, to->shape, sizeof(int64_t) * (size_t)to->ndim))
        return osw_error(call, "source does not broadcast to the target");
    cols = to->ndim ? to->shape[to->ndim - 1] : 1;
    rows = cols ? osw_numel(to) / cols : 0;
    threads = rows * cols > 65536 ? (int)call->n_threads : 1;

#pragma omp parallel for num_threads(threads)
    for (r = 0; r < rows; r++) {
        struct osw_reference_row p = osw_reference_row(to, &plan, r * cols);
        struct osw_reference_row q = osw_reference_row(from, &plan, r * cols);
        int64_t j;

        for (j = 0; j < cols; j++)
            osw_copy_reference_one(to->dtype, osw_at(to, p.first + j * p.step),
                                   from->dtype,
                                   osw_at(from, q.first + j * q.step));
    }
    return 0;
}

/* Every element of t becomes e. */
static inline void osw_copy_reference_fill_with(const osw_tensor *t,
                                                struct osw_element e)
{
    int64_t n = osw_numel(t), l;

    for (l = 0; l < n; l++)
        memcpy(osw_at(t, osw_offset(t, l)), e.words, t->dtype.bits / 8);
}

static inline void osw_copy_reference_fill(const osw_tensor *t, double v)
{
    osw_copy_reference_fill_with(t, osw_element_of(t->dtype, v));
}

#endif

#endif /* OSW_LIBRARY_COPY_REFERENCE_H */

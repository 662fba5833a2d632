/* ops/library/elementwise_reference.h - one function over all elements
 *
 * References compute in double, from operands converted to the common dtype,
 * and hand over the unrounded result; integers are computed in int64.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_REFERENCE_H
#define OSW_LIBRARY_ELEMENTWISE_REFERENCE_H

#include "rules.h"

/* One element of the result from one of each operand. */
typedef double osw_reference_float(const double *x);
typedef int64_t osw_reference_int(const int64_t *x);

/* Write an integer, wrapped to the dtype; bool is whether it is not 0. */
OSW_HD static inline void osw_reference_store_int(osw_dtype t, void *p,
                                                  int64_t v)
{
    int32_t v32 = (int32_t)v;
    int16_t v16 = (int16_t)v;

    if (t.code == OSW_BOOL)
        *(uint8_t *)p = v != 0;
    else if (t.bits == 8)
        *(uint8_t *)p = (uint8_t)v;
    else if (t.bits == 16)
        memcpy(p, &v16, 2);
    else if (t.bits == 32)
        memcpy(p, &v32, 4);
    else
        memcpy(p, &v, 8);
}

/* A row is a run along the last dimension of the output's shape. */
struct osw_reference_row {
    int64_t first, step; /* of an operand, in elements */
};

OSW_HD static inline struct osw_reference_row
osw_reference_row(const osw_tensor *t, const struct osw_rule_plan *plan,
                  int64_t linear)
{
    struct osw_reference_row row = {0, 0};

    if (!t)
        return row;
    row.first = osw_offset_in(t, plan->ndim, plan->shape, linear);
    if (t->ndim && t->shape[t->ndim - 1] != 1)
        row.step = t->strides[t->ndim - 1];
    return row;
}

/* The arguments of one element: operands at column j of their rows. */
OSW_HD static inline void
osw_reference_floats(const struct osw_rule_plan *plan, int n,
                     const struct osw_reference_row *row, int64_t j, double *x)
{
    int i;

    for (i = 0; i < n; i++) {
        const osw_tensor *t = plan->x[i].tensor;

        x[i] = plan->x[i].number;
        if (t)
            x[i] =
                osw_load(t->dtype, osw_at(t, row[i].first + j * row[i].step));
        if (t && !osw_rule_same(t->dtype, plan->common))
            x[i] = osw_rule_round(plan->common, x[i]);
    }
}

OSW_HD static inline void
osw_reference_ints(const struct osw_rule_plan *plan, int n,
                   const struct osw_reference_row *row, int64_t j, int64_t *x)
{
    int i;

    for (i = 0; i < n; i++) {
        const osw_tensor *t = plan->x[i].tensor;

        x[i] = plan->x[i].integer;
        if (t)
            x[i] = osw_load_int(t->dtype,
                                osw_at(t, row[i].first + j * row[i].step));
    }
}

#ifndef __CUDACC__ /* there: reference.cuh */

struct osw_reference_job {
    const struct osw_rule *rule;
    struct osw_rule_plan plan;
    osw_tensor *out;
    int64_t cols;
    int ints;
    double *exact; /* NULL: rounded to the output's dtype */
    osw_reference_float *f;
    osw_reference_int *g;
};

static inline void osw_reference_map_row(const struct osw_reference_job *job,
                                         int64_t r)
{
    struct osw_reference_row row[OSW_RULE_OPERANDS], to;
    double x[OSW_RULE_OPERANDS];
    int64_t k[OSW_RULE_OPERANDS], j;
    int i, n = job->rule->n;

    for (i = 0; i < n; i++)
        row[i] =
            osw_reference_row(job->plan.x[i].tensor, &job->plan, r * job->cols);
    to = osw_reference_row(job->out, &job->plan, r * job->cols);
    for (j = 0; j < job->cols; j++) {
        void *p = osw_at(job->out, to.first + j * to.step);

        if (job->ints) {
            osw_reference_ints(&job->plan, n, row, j, k);
            osw_reference_store_int(job->plan.dtype, p, job->g(k));
            continue;
        }
        osw_reference_floats(&job->plan, n, row, j, x);
        if (job->exact)
            job->exact[r * job->cols + j] = job->f(x);
        else
            osw_store(job->plan.dtype, p, job->f(x));
    }
}

/* out[...] = f(operands), g where the arithmetic is in integers. */
static inline int osw_reference_map(const osw_call *call,
                                    const struct osw_rule *rule,
                                    osw_reference_float *f,
                                    osw_reference_int *g)
{
    struct osw_reference_job job = {.rule = rule, .f = f, .g = g};
    int rc, threads;
    int64_t rows, r;

    job.out = osw_rule_declare(call, rule, &job.plan, &rc);
    if (!job.out)
        return rc;
    job.ints = osw_rule_category(job.plan.common) < 2;
    if (job.ints && !g)
        return osw_error(call, "not defined for integers");
    if (osw_rule_category(job.plan.dtype) == 2)
        job.exact = osw_output_exact(call, 0);
    job.cols = job.plan.ndim ? job.plan.shape[job.plan.ndim - 1] : 1;
    rows = job.cols ? osw_numel(job.out) / job.cols : 0;
    threads = rows * job.cols > 65536 ? (int)call->n_threads : 1;
    if (threads == 1) { /* a team costs more than a small tensor */
        for (r = 0; r < rows; r++)
            osw_reference_map_row(&job, r);
        return 0;
    }
#pragma omp parallel for num_threads(threads)
    for (r = 0; r < rows; r++)
        osw_reference_map_row(&job, r);
    return 0;
}

#endif

#endif /* OSW_LIBRARY_ELEMENTWISE_REFERENCE_H */

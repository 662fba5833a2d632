/* shared/elementwise_reference.h - one function over all elements
 *
 * References compute in double, from operands converted to the common dtype,
 * and hand over the unrounded result; integers are computed in int64.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_REFERENCE_H
#define OSW_LIBRARY_ELEMENTWISE_REFERENCE_H

#include "level.h"

#include "rules.h"

#include "apart.h"

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
            x[i] = osw_rule_wrap(
                plan->common,
                osw_load_int(t->dtype,
                             osw_at(t, row[i].first + j * row[i].step)));
    }
}

#ifndef __CUDACC__ /* there: reference.cuh */

/* out[...] = f(operands), g where the arithmetic is in integers. */
OSW_APART_CALL int osw_reference_map(const osw_call *call,
                                     const struct osw_rule *rule,
                                     osw_reference_float *f,
                                     osw_reference_int *g);

#if OSW_APART_BODIES

enum { OSW_REFERENCE_RUN = 64 }; /* elements loaded together */

/* clang-format off */
#define OSW_REFERENCE_LOADS(code, bits)                                        \
    case (code) * 256 + (bits):                                                \
        for (k = 0; k < n; k++)                                                \
            to[k * to_step] =                                                  \
                osw_load((osw_dtype){code, bits, 1}, from + k * step);         \
        return
/* clang-format on */

/* n elements of `t` from p on, `stride` elements apart, to to[k * to_step]: as
 * osw_load() gives them, but the dtype is asked for once.
 */
static inline void osw_reference_load(osw_dtype t, const void *p,
                                      int64_t stride, int64_t n, double *to,
                                      int64_t to_step)
{
    const char *from = (const char *)p;
    int64_t step = stride * (t.bits / 8), k;

    switch (t.code * 256 + t.bits) {
        OSW_REFERENCE_LOADS(OSW_FLOAT, 64);
        OSW_REFERENCE_LOADS(OSW_FLOAT, 32);
        OSW_REFERENCE_LOADS(OSW_FLOAT, 16);
        OSW_REFERENCE_LOADS(OSW_BFLOAT, 16);
    default:
        for (k = 0; k < n; k++)
            to[k * to_step] = osw_load(t, from + k * step);
    }
}

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

/* Operand i of n elements from column j on: as osw_reference_floats(), which
 * asks for each.
 */
static inline void
osw_reference_run(const struct osw_reference_job *job, int i,
                  const struct osw_reference_row *row, int64_t j, int64_t n,
                  double x[OSW_REFERENCE_RUN][OSW_RULE_OPERANDS])
{
    const struct osw_rule_operand *from = &job->plan.x[i];
    int64_t k;

    if (from->tensor)
        osw_reference_load(from->tensor->dtype,
                           osw_at(from->tensor, row->first + j * row->step),
                           row->step, n, &x[0][i], OSW_RULE_OPERANDS);
    else
        for (k = 0; k < n; k++)
            x[k][i] = from->number;
    if (from->tensor && !osw_rule_same(from->tensor->dtype, job->plan.common))
        for (k = 0; k < n; k++)
            x[k][i] = osw_rule_round(job->plan.common, x[k][i]);
}

static inline void
osw_reference_row_of_floats(const struct osw_reference_job *job, int64_t r,
                            const struct osw_reference_row *row,
                            const struct osw_reference_row *to)
{
    double x[OSW_REFERENCE_RUN][OSW_RULE_OPERANDS];
    int64_t j, k, n;
    int i;

    for (j = 0; j < job->cols; j += n) {
        n = job->cols - j;
        n = n < OSW_REFERENCE_RUN ? n : OSW_REFERENCE_RUN;
        for (i = 0; i < job->rule->n; i++)
            osw_reference_run(job, i, &row[i], j, n, x);
        for (k = 0; k < n; k++)
            if (job->exact)
                job->exact[r * job->cols + j + k] = job->f(x[k]);
            else
                osw_store(job->plan.dtype,
                          osw_at(job->out, to->first + (j + k) * to->step),
                          job->f(x[k]));
    }
}

static inline void
osw_reference_row_of_ints(const struct osw_reference_job *job,
                          const struct osw_reference_row *row,
                          const struct osw_reference_row *to)
{
    int64_t x[OSW_RULE_OPERANDS], j;

    for (j = 0; j < job->cols; j++) {
        osw_reference_ints(&job->plan, job->rule->n, row, j, x);
        osw_reference_store_int(job->plan.dtype,
                                osw_at(job->out, to->first + j * to->step),
                                job->g(x));
    }
}

__attribute__((noinline)) static void
osw_reference_map_row(const struct osw_reference_job *job, int64_t r)
{
    struct osw_reference_row row[OSW_RULE_OPERANDS], to;
    int i;

    for (i = 0; i < job->rule->n; i++)
        row[i] =
            osw_reference_row(job->plan.x[i].tensor, &job->plan, r * job->cols);
    to = osw_reference_row(job->out, &job->plan, r * job->cols);
    if (job->ints)
        osw_reference_row_of_ints(job, row, &to);
    else
        osw_reference_row_of_floats(job, r, row, &to);
}

OSW_APART_CALL int osw_reference_map(const osw_call *call,
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

#endif /* OSW_APART_BODIES */

#endif

#endif /* OSW_LIBRARY_ELEMENTWISE_REFERENCE_H */

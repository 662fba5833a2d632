/* shared/elementwise_reference.cuh - one function over all elements, on
 * the device
 *
 * The twin of osw_reference_map(): one thread per element, and the same
 * functions for where an element lies, how it is read, rounded and written.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_REFERENCE_CUH
#define OSW_LIBRARY_ELEMENTWISE_REFERENCE_CUH

#include "elementwise_reference.h"
#include "views.h"

#define OSW_REFERENCE_THREADS 256

/* A formula over operands:
 *     static OSW_HD double real(const double *x);
 *     static OSW_HD int64_t integer(const int64_t *x);
 * The second is only asked for where on_integers is not 0.
 */
struct osw_reference_formula {
    enum { on_integers = 1 };
};

struct osw_reference_formula_real {
    enum { on_integers = 0 };
    static OSW_HD int64_t integer(const int64_t *)
    {
        return 0;
    }
};

struct osw_reference_job {
    struct osw_rule_plan plan; /* its tensors are the views below */
    struct osw_view x[OSW_RULE_OPERANDS], out;
    double *exact; /* or NULL: write the output */
    int64_t total;
    int n;
};

/* The tensor of a view that was copied from elsewhere. */
OSW_HD static inline osw_tensor osw_reference_tensor(const struct osw_view &v)
{
    osw_tensor t = v.t;

    t.shape = v.shape;
    t.strides = v.strides;
    return t;
}

static inline int osw_reference_blocks(int64_t total)
{
    int64_t n = (total + OSW_REFERENCE_THREADS - 1) / OSW_REFERENCE_THREADS;

    return (int)(n < 1 << 20 ? n : 1 << 20);
}

template <class F>
OSW_HD void osw_reference_element(const struct osw_reference_job &job,
                                  const struct osw_rule_plan &plan,
                                  const osw_tensor &out, int64_t linear)
{
    struct osw_reference_row row[OSW_RULE_OPERANDS];
    double x[OSW_RULE_OPERANDS];
    int64_t k[OSW_RULE_OPERANDS];
    void *p = osw_at(&out, osw_offset(&out, linear));

    for (int i = 0; i < job.n; i++)
        row[i] = osw_reference_row(plan.x[i].tensor, &plan, linear);
    if (osw_rule_category(plan.common) < 2) {
        osw_reference_ints(&plan, job.n, row, 0, k);
        osw_reference_store_int(plan.dtype, p, F::integer(k));
        return;
    }
    osw_reference_floats(&plan, job.n, row, 0, x);
    if (job.exact)
        job.exact[linear] = F::real(x);
    else
        osw_store(plan.dtype, p, F::real(x));
}

template <class F>
__global__ void
osw_reference_kernel(const __grid_constant__ struct osw_reference_job job)
{
    struct osw_rule_plan plan = job.plan;
    osw_tensor t[OSW_RULE_OPERANDS], out = osw_reference_tensor(job.out);
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int i = 0; i < job.n; i++) {
        t[i] = osw_reference_tensor(job.x[i]);
        plan.x[i].tensor = plan.x[i].tensor ? &t[i] : NULL;
    }
    for (int64_t l = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         l < job.total; l += step)
        osw_reference_element<F>(job, plan, out, l);
}

/* What F makes of the n operands of a plan, into out. */
template <class F>
static int osw_reference_apply(const osw_call *call,
                               const struct osw_rule_plan *plan, int n,
                               osw_tensor *out)
{
    struct osw_reference_job job = {};

    if (osw_rule_category(plan->common) < 2 && !F::on_integers)
        return osw_error(call, "not defined for integers");
    job.plan = *plan;
    job.n = n;
    job.total = osw_numel(out);
    if (osw_rule_category(plan->dtype) == 2)
        job.exact = osw_output_exact(call, 0);
    osw_view_of(&job.out, out);
    for (int i = 0; i < n; i++)
        if (plan->x[i].tensor)
            osw_view_of(&job.x[i], plan->x[i].tensor);
    if (job.total)
        osw_reference_kernel<F>
            <<<osw_reference_blocks(job.total), OSW_REFERENCE_THREADS, 0,
               (cudaStream_t)call->stream>>>(job);
    return 0;
}

/* What <op>_reference of an elementwise op does. */
template <class F>
static int osw_reference_map(const osw_call *call, const struct osw_rule *rule)
{
    struct osw_rule_plan plan;
    int rc;
    osw_tensor *out = osw_rule_declare(call, rule, &plan, &rc);

    return out ? osw_reference_apply<F>(call, &plan, rule->n, out) : rc;
}

#endif /* OSW_LIBRARY_ELEMENTWISE_REFERENCE_CUH */

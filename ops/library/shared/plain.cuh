/* shared/plain.cuh - elementwise kernels as a user writes them first
 *
 * The implementations called `plain` are baselines: a thread handles one
 * element at a time, in a loop over the grid.  There are no vector loads and
 * no tiles.  Each element is read and written in its own type; f16 and bf16
 * are computed in float, integers and bool in int64.
 *
 * A formula is a struct with
 *     template <class T> static __device__ T of(T a, T b, T c);
 * for T float, double and int64_t; with more than three operands of() has d
 * and e, too, which are numbers.
 */
#ifndef OSW_LIBRARY_PLAIN_CUH
#define OSW_LIBRARY_PLAIN_CUH

#include "plain_elements.cuh"

/* N: the number of operands, as in the rule. */
template <int N> struct osw_plain_formula {
    enum {
        n = N,
        tensors = N < 3 ? N : 3, /* operands that may be tensors */
        mask = -1,       /* the operand that is a bool, whatever the others */
        truth = 0,       /* the result is a bool */
        on_integers = 1, /* of() is defined for int64_t */
    };
};

/* Integers wrap around. */
template <class T> __device__ T osw_plain_times(T a, T b)
{
    if constexpr (std::is_same<T, int64_t>::value)
        return (T)((uint64_t)a * (uint64_t)b);
    else
        return a * b;
}

template <class T> __device__ T osw_plain_plus(T a, T b)
{
    if constexpr (std::is_same<T, int64_t>::value)
        return (T)((uint64_t)a + (uint64_t)b);
    else
        return a + b;
}

template <class T> __device__ T osw_plain_minus(T a, T b)
{
    if constexpr (std::is_same<T, int64_t>::value)
        return (T)((uint64_t)a - (uint64_t)b);
    else
        return a - b;
}

/* What a kernel is told; A is the type of the arithmetic. */
template <class A> struct osw_plain_job {
    struct osw_plain_axes axes; /* of the output, then of the operands */
    int64_t total;
    char *y;
    const char *x[OSW_RULE_OPERANDS]; /* NULL: the number */
    A number[OSW_RULE_OPERANDS];
    osw_dtype y_dtype, x_dtype[OSW_RULE_OPERANDS], common;
};

/* --- all tensors in type E --- */

template <class F, class E, int k>
__device__ typename osw_plain_math<E>::type
osw_plain_operand(const osw_plain_job<typename osw_plain_math<E>::type> &job,
                  const int64_t *at)
{
    typedef typename osw_plain_math<E>::type A;
    typedef std::conditional_t<F::mask == k, osw_plain_bool, E> X;

    if constexpr (k < F::tensors)
        return job.x[k] ? osw_plain_load<A>((const X *)job.x[k] + at[1 + k])
                        : job.number[k];
    else
        return k < F::n ? job.number[k] : (A)0;
}

template <class F, class A> __device__ auto osw_plain_formula_of(const A *x)
{
    if constexpr (F::n > 3)
        return F::of(x[0], x[1], x[2], x[3], x[4]);
    else
        return F::of(x[0], x[1], x[2]);
}

template <class F, class E, class I>
__global__ void osw_plain_kernel(
    const __grid_constant__ osw_plain_job<typename osw_plain_math<E>::type> job)
{
    typedef std::conditional_t<F::truth, osw_plain_bool, E> R;
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[1 + F::tensors];

        osw_plain_at<1 + F::tensors>(job.axes, i, at);
        const A x[OSW_RULE_OPERANDS] = {osw_plain_operand<F, E, 0>(job, at),
                                        osw_plain_operand<F, E, 1>(job, at),
                                        osw_plain_operand<F, E, 2>(job, at),
                                        osw_plain_operand<F, E, 3>(job, at),
                                        osw_plain_operand<F, E, 4>(job, at)};

        osw_plain_store((R *)job.y + at[0], osw_plain_formula_of<F>(x));
    }
}

/* --- tensors of several types, asked for at every element --- */

template <class F, class A>
__device__ A osw_plain_any_operand(const osw_plain_job<A> &job,
                                   const int64_t *at, int k)
{
    osw_dtype t = job.x_dtype[k];
    const char *p;

    if (!job.x[k])
        return job.number[k];
    p = job.x[k] + at[1 + k] * (t.bits / 8);
    if (std::is_same<A, int64_t>::value)
        return (A)osw_rule_wrap(job.common, osw_load_int(t, p));
    return (A)(osw_rule_same(t, job.common)
                   ? osw_load(t, p)
                   : osw_rule_round(job.common, osw_load(t, p)));
}

template <class F, class A, class I>
__global__ void
osw_plain_any_kernel(const __grid_constant__ osw_plain_job<A> job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[1 + F::tensors];
        A x[OSW_RULE_OPERANDS] = {0};
        char *y;

        osw_plain_at<1 + F::tensors>(job.axes, i, at);
        for (int k = 0; k < F::n; k++)
            x[k] = k < F::tensors ? osw_plain_any_operand<F, A>(job, at, k)
                                  : job.number[k];
        y = job.y + at[0] * (job.y_dtype.bits / 8);
        if (std::is_same<A, int64_t>::value)
            osw_reference_store_int(job.y_dtype, y,
                                    (int64_t)osw_plain_formula_of<F>(x));
        else
            osw_store(job.y_dtype, y, (double)osw_plain_formula_of<F>(x));
    }
}

/* --- launches --- */

template <class F, class A>
static osw_plain_job<A> osw_plain_job_of(const struct osw_rule_plan *plan,
                                         const osw_tensor *out)
{
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {out};
    osw_plain_job<A> job = {};

    for (int k = 0; k < F::n; k++) {
        const struct osw_rule_operand *x = &plan->x[k];

        if (k < F::tensors)
            t[1 + k] = x->tensor;
        job.x[k] = x->tensor ? (const char *)osw_data(x->tensor) : NULL;
        job.number[k] =
            std::is_same<A, int64_t>::value ? (A)x->integer : (A)x->number;
        if (x->tensor)
            job.x_dtype[k] = x->tensor->dtype;
    }
    osw_plain_axes_of(&job.axes, out->ndim, out->shape, t);
    job.total = osw_numel(out);
    job.y = (char *)osw_data(out);
    job.y_dtype = out->dtype;
    job.common = plan->common;
    return job;
}

/* Are the tensors of type E, the mask and the output as the formula says? */
template <class F, class E>
static int osw_plain_is(const struct osw_rule_plan *plan, const osw_tensor *out)
{
    int is = F::truth ? osw_plain_is_type<osw_plain_bool>(out->dtype)
                      : osw_plain_is_type<E>(out->dtype);

    for (int k = 0; k < F::n; k++) {
        const osw_tensor *x = plan->x[k].tensor;

        if (x && k == F::mask)
            is &= osw_plain_is_type<osw_plain_bool>(x->dtype) ||
                  osw_plain_is_type<uint8_t>(x->dtype);
        else if (x)
            is &= osw_plain_is_type<E>(x->dtype);
        else
            is &= k != F::mask;
    }
    return is;
}

template <class F, class E>
static int osw_plain_typed(const osw_call *call,
                           const struct osw_rule_plan *plan,
                           const osw_tensor *out)
{
    typedef typename osw_plain_math<E>::type A;

    if constexpr (std::is_same<A, int64_t>::value && !F::on_integers) {
        return OSW_UNSUPPORTED;
    } else {
        if (!osw_plain_is<F, E>(plan, out))
            return OSW_UNSUPPORTED;
        auto job = osw_plain_job_of<F, A>(plan, out);

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_kernel<F, E, decltype(i)>,
                                    job.total, job);
        });
    }
}

template <class F, class A>
static int osw_plain_any(const osw_call *call, const struct osw_rule_plan *plan,
                         const osw_tensor *out)
{
    auto job = osw_plain_job_of<F, A>(plan, out);

    return osw_plain_by_count(job.total, [&](auto i) {
        return osw_plain_launch(call, osw_plain_any_kernel<F, A, decltype(i)>,
                                job.total, job);
    });
}

/* What F makes of the operands of a plan, into out.  Not where elements of out
 * share a place, since threads keep no order.
 */
template <class F>
static int osw_plain_apply(const osw_call *call,
                           const struct osw_rule_plan *plan,
                           const osw_tensor *out)
{
    int rc;

    if (osw_numel(out) == 0)
        return 0;
    if (osw_view_overlaps(out))
        return OSW_UNSUPPORTED;
    for (int k = F::tensors; k < F::n; k++)
        if (plan->x[k].tensor)
            return OSW_UNSUPPORTED;
    rc = osw_plain_by_dtype(plan->common, [&](auto e) {
        return osw_plain_typed<F, decltype(e)>(call, plan, out);
    });
    if (rc != OSW_UNSUPPORTED)
        return rc;
    if (osw_rule_category(plan->common) == 2)
        return plan->common.bits == 64
                   ? osw_plain_any<F, double>(call, plan, out)
                   : osw_plain_any<F, float>(call, plan, out);
    if constexpr (F::on_integers)
        return osw_plain_any<F, int64_t>(call, plan, out);
    return OSW_UNSUPPORTED;
}

/* What <op>_kernel_impl of an elementwise op does. */
template <class F>
static int osw_plain_run(const osw_call *call, const struct osw_rule *rule)
{
    struct osw_rule_plan plan;
    int rc;
    osw_tensor *out = osw_rule_declare(call, rule, &plan, &rc);

    return out ? osw_plain_apply<F>(call, &plan, out) : rc;
}

#endif /* OSW_LIBRARY_PLAIN_CUH */

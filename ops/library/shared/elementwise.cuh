/* shared/elementwise.cuh - one formula over all elements, on the device
 *
 * Four ways through a call, each with fewer conditions than the one before:
 * - flat: all tensors are contiguous, in one dtype of f32, f16 and
 *   bf16: 16 bytes per access, up to four accesses of each tensor in flight;
 * - tiles: one such dtype, dense along different axes, in whole packs;
 * - rows: one such dtype, any strides, broadcast: 16 bytes per access where
 *   the rows of a tensor allow it, element by element where they do not;
 * - any: every dtype that the rules know, one element per thread.
 */
#ifndef OSW_LIBRARY_ELEMENTWISE_CUH
#define OSW_LIBRARY_ELEMENTWISE_CUH

#include "elementwise_tiles.cuh"

struct osw_elementwise_call {
    const struct osw_rule_plan *plan;
    int n;
    osw_tensor *out;
    struct osw_axes
        axes; /* the output, then the operands that may be tensors */
    cudaStream_t stream;
};

/* Does tensor k of the axes stay on one element? */
static inline int osw_elementwise_stays(const struct osw_axes *a, int k)
{
    int stays = 1;

    for (int d = 0; d < a->n; d++)
        stays &= a->axis[d].step[k] == 0;
    return stays;
}

/* Tensor k, n elements at a time, in packs of `bytes`. */
static inline enum osw_side_mode osw_elementwise_mode(const struct osw_axes *a,
                                                      int k, const void *data,
                                                      int64_t n, int64_t bytes)
{
    int64_t size = a->axis[0].size, step = a->axis[0].step[k], dense = size;
    int flat = 1, whole = size % n == 0;

    for (int d = 1; d < a->n; d++) {
        flat &= a->axis[d].step[k] == dense;
        whole &= a->axis[d].step[k] % n == 0;
        dense *= a->axis[d].size;
    }
    if (step == 1 && (flat || whole) && (uintptr_t)data % (uintptr_t)bytes == 0)
        return OSW_SIDE_PACKED;
    return OSW_SIDE_SINGLE;
}

template <class T>
static void osw_elementwise_job_of(osw_elementwise_job<T> *job,
                                   const struct osw_elementwise_call *c)
{
    for (int k = 0; k < OSW_RULE_OPERANDS; k++) {
        const struct osw_rule_operand *x = &c->plan->x[k];

        job->x[k].data = NULL;
        job->number[k] = (T)0;
        if (k < c->n && x->tensor) {
            job->x[k].data = (char *)osw_data(x->tensor);
            job->x[k].dtype = x->tensor->dtype;
        } else if (k < c->n) {
            job->number[k] =
                std::is_same<T, int64_t>::value ? (T)x->integer : (T)x->number;
        }
    }
    job->y.data = (char *)osw_data(c->out);
    job->y.dtype = c->out->dtype;
    job->common = c->plan->common;
    job->total = osw_axes_total(&c->axes);
    job->depth = 1;
}

static inline int64_t osw_elementwise_blocks(int64_t n, int depth)
{
    int64_t per_block = (int64_t)depth * OSW_ELEMENTWISE_THREADS;

    return (n + per_block - 1) / per_block;
}

/* Few packs are spread wide, many are handled several per thread. */
static inline int osw_elementwise_depth(int64_t packs, int most)
{
    int depth = packs >= 1 << 20 ? 4 : packs >= 1 << 18 ? 2 : 1;

    return depth < most ? depth : most;
}

template <class F, class T>
static int osw_elementwise_any(const struct osw_elementwise_call *c)
{
    osw_any_job<T> job;
    int64_t blocks;

    for (int k = F::tensors; k < c->n; k++)
        if (c->plan->x[k].tensor)
            return OSW_UNSUPPORTED;
    osw_elementwise_job_of<T>(&job, c);
    if (!osw_path_of(&job.path, &c->axes))
        return OSW_UNSUPPORTED;
    blocks = osw_elementwise_blocks(job.total, 1);
    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    osw_any_kernel<F, T>
        <<<(unsigned)blocks, OSW_ELEMENTWISE_THREADS, 0, c->stream>>>(job);
    return 0;
}

/* K operands walk, all in dtype E; the others are the same everywhere. */
template <class F, class E, int K>
static int osw_elementwise_typed(const struct osw_elementwise_call *c)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    constexpr int N = osw_elementwise_types<F, E>::N;
    osw_rows_job<K> job;
    int flat = c->axes.n == 1;
    int64_t packs, blocks;

    osw_elementwise_job_of<float>(&job, c);
    job.y.mode = osw_elementwise_mode(&c->axes, 0, job.y.data, N,
                                      N * (int64_t)sizeof(R));
    job.on_one_row = job.y.mode == OSW_SIDE_SINGLE;
    for (int k = 0; k < K; k++) {
        job.x[k].mode = osw_elementwise_mode(&c->axes, k + 1, job.x[k].data, N,
                                             N * (int64_t)sizeof(E));
        job.on_one_row |= job.x[k].mode == OSW_SIDE_SINGLE;
    }
    flat &= !job.on_one_row;
    if (job.on_one_row &&
        osw_cross_launch<F, E, K>(&c->axes, job, c->stream) == 0)
        return 0;
    packs = (job.total + N - 1) / N;
    job.depth = osw_elementwise_depth(packs, flat ? OSW_ELEMENTWISE_DEPTH
                                                  : OSW_ELEMENTWISE_ROWS(E));
    blocks = osw_elementwise_blocks(packs, job.depth);
    if (blocks > INT32_MAX || !osw_path_of(&job.path, &c->axes))
        return OSW_UNSUPPORTED;
    if (flat)
        osw_flat_kernel<F, E, K>
            <<<(unsigned)blocks, OSW_ELEMENTWISE_THREADS, 0, c->stream>>>(job);
    else
        osw_rows_kernel<F, E, K>
            <<<(unsigned)blocks, OSW_ELEMENTWISE_THREADS, 0, c->stream>>>(job);
    return 0;
}

/* How many of the first operands walk; -1 where one of these is a number. */
static inline int osw_elementwise_walking(const struct osw_elementwise_call *c,
                                          int tensors)
{
    int n = 0;

    for (int k = 0; k < tensors && k < c->n; k++)
        if (c->plan->x[k].tensor && !osw_elementwise_stays(&c->axes, k + 1))
            n = k + 1;
    for (int k = 0; k < n; k++)
        if (!c->plan->x[k].tensor)
            return -1;
    return n;
}

/* Are all tensors of type E, and the output of type R? */
template <class E, class R>
static int osw_elementwise_is(const struct osw_elementwise_call *c)
{
    int is = osw_pack_is<R>(c->out->dtype);

    for (int k = 0; k < c->n; k++)
        is &= !c->plan->x[k].tensor ||
              osw_pack_is<E>(c->plan->x[k].tensor->dtype);
    return is;
}

template <class F, class E>
static int osw_elementwise_try(const struct osw_elementwise_call *c)
{
    typedef typename osw_elementwise_types<F, E>::R R;
    int walking = osw_elementwise_walking(c, F::tensors);

    if (!osw_elementwise_is<E, R>(c))
        return OSW_UNSUPPORTED;
    if (walking == 1)
        return osw_elementwise_typed<F, E, 1>(c);
    if constexpr (F::tensors > 1)
        if (walking == 2)
            return osw_elementwise_typed<F, E, 2>(c);
    return OSW_UNSUPPORTED;
}

/* In whatever type the plan asks for, whatever the tensors are. */
template <class F>
static int osw_elementwise_other(const struct osw_elementwise_call *c)
{
    if (osw_rule_category(c->plan->common) == 2)
        return c->plan->common.bits == 64 ? osw_elementwise_any<F, double>(c)
                                          : osw_elementwise_any<F, float>(c);
    if constexpr (F::on_integers)
        return osw_elementwise_any<F, int64_t>(c);
    return OSW_UNSUPPORTED;
}

/* The axes of the output and the operands that may be tensors. */
static inline void osw_elementwise_axes(struct osw_elementwise_call *c,
                                        int tensors)
{
    const osw_tensor *t[OSW_AXES_TENSORS] = {c->out};
    osw_tensor number = *c->out;

    number.ndim = 0;
    for (int k = 0; k < tensors; k++)
        t[k + 1] =
            k < c->n && c->plan->x[k].tensor ? c->plan->x[k].tensor : &number;
    osw_axes_of(&c->axes, c->out->ndim, c->out->shape, t, tensors + 1, 1);
}

static inline struct osw_elementwise_call
osw_elementwise_begin(const osw_call *call, const struct osw_rule_plan *plan,
                      int n, int tensors, osw_tensor *out)
{
    struct osw_elementwise_call c = {plan, n, out};

    c.stream = (cudaStream_t)call->stream;
    osw_elementwise_axes(&c, tensors);
    return c;
}

/* What F makes of the n operands of a plan, into out; not where elements of
 * out share a place, since threads keep no order.
 */
template <class F>
static int osw_elementwise_apply(const osw_call *call,
                                 const struct osw_rule_plan *plan, int n,
                                 osw_tensor *out)
{
    struct osw_elementwise_call c;
    int rc;

    if (osw_numel(out) == 0)
        return 0;
    if (osw_view_overlaps(out))
        return OSW_UNSUPPORTED;
    c = osw_elementwise_begin(call, plan, n, F::tensors, out);
    rc = osw_elementwise_try<F, float>(&c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<F, __half>(&c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<F, __nv_bfloat16>(&c);
    return rc == OSW_UNSUPPORTED ? osw_elementwise_other<F>(&c) : rc;
}

/* What <op>_kernel_impl of an elementwise op does. */
template <class F>
static int osw_elementwise_run(const osw_call *call,
                               const struct osw_rule *rule)
{
    struct osw_rule_plan plan;
    int rc;
    osw_tensor *out = osw_rule_declare(call, rule, &plan, &rc);

    return out ? osw_elementwise_apply<F>(call, &plan, rule->n, out) : rc;
}

#endif /* OSW_LIBRARY_ELEMENTWISE_CUH */

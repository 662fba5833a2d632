/* ops/library/index_put/index_put_buckets.c - the entries sorted by where they
 * point, so that each element of the output is written once, over threads
 */
#include "../shared/copying.h"
#include "../shared/index_put.h"

enum { RUN = 256 };

/* Entries that point to target k: order[start[k]...], in their order. */
struct buckets {
    int64_t n; /* targets: all places that the indices can point to */
    int64_t *start, *order;
};

/* The target of the i-th entry: the indices, as one number; -1: none. */
static int64_t target_of(const struct osw_index *x, int64_t i)
{
    int64_t target = 0;

    for (int32_t d = 0; d < x->self->ndim; d++) {
        const osw_tensor *t = x->at[d];
        int64_t n = x->self->shape[d], k;

        if (!t)
            continue;
        k = osw_load_int(t->dtype,
                         osw_at(t, osw_offset_in(t, x->ndim, x->shape, i)));
        k += k < 0 ? n : 0;
        if (k < 0 || k >= n)
            return -1;
        target = target * n + k;
    }
    return target;
}

/* Where a target lies in the output. */
static int64_t place_of(const struct osw_index *x, int64_t target)
{
    int64_t at = 0;

    for (int32_t d = x->self->ndim - 1; d >= 0; d--)
        if (x->at[d]) {
            at += target % x->self->shape[d] * x->self->strides[d];
            target /= x->self->shape[d];
        }
    return at;
}

/* Counting sort; the workspace is the call's. */
static int sort(const osw_call *call, const struct osw_index *x,
                struct buckets *b)
{
    int64_t *target;

    b->n = 1;
    for (int32_t d = 0; d < x->self->ndim; d++)
        b->n *= x->at[d] ? x->self->shape[d] : 1;
    b->start = (int64_t *)osw_workspace(
        call, (size_t)(b->n + 1 + 2 * x->numel) * sizeof(int64_t));
    if (!b->start)
        return OSW_ERROR;
    b->order = b->start + b->n + 1;
    target = b->order + x->numel;
    memset(b->start, 0, (size_t)(b->n + 1) * sizeof(int64_t));
    for (int64_t i = 0; i < x->numel; i++) {
        target[i] = target_of(x, i);
        if (target[i] < 0)
            return osw_error(call, "index is out of range");
        b->start[target[i] + 1]++;
    }
    for (int64_t k = 0; k < b->n; k++)
        b->start[k + 1] += b->start[k];
    for (int64_t i = 0; i < x->numel; i++)
        b->order[b->start[target[i]]++] = i;
    for (int64_t k = b->n; k > 0; k--) /* back to where the buckets start */
        b->start[k] = b->start[k - 1];
    b->start[0] = 0;
    return 0;
}

/* m elements of the output: of those that point there values are read from
 * element `first` of their entries on.
 */
static void put_run(const struct osw_index_put *a, const int64_t *order,
                    int64_t n_order, int64_t first, int64_t value_step,
                    void *to, int64_t step, int64_t m)
{
    osw_dtype t = a->out->dtype;
    double sum[RUN] = {0};
    float run[RUN];

    if (a->accumulate) {
        osw_convert_read(t, to, step, m, run);
        for (int64_t i = 0; i < m; i++)
            sum[i] = run[i];
    }
    for (int64_t e = 0; e < n_order; e++) {
        int64_t v = first + order[e] * a->x.after.numel;

        osw_convert_read(t, osw_at(a->values, osw_index_put_value(a, v)),
                         value_step, m, run);
        for (int64_t i = 0; i < m; i++)
            sum[i] += run[i];
    }
    for (int64_t i = 0; i < m; i++)
        run[i] = (float)sum[i];
    osw_convert_write(t, run, m, step, to);
}

/* What points to target k of the p-th part; without accumulate the last. */
static void put(const struct osw_index_put *a, const struct buckets *b,
                int64_t p, int64_t k)
{
    int64_t n, step, value_step, first = b->start[k], end = b->start[k + 1];
    struct osw_index_dims outer = osw_index_put_rows(a, &n, &step, &value_step);
    int64_t to = place_of(&a->x, k) + osw_index_offset(&a->x.before, p);

    if (end == first)
        return;
    if (!a->accumulate)
        first = end - 1;
    for (int64_t q = 0; q < outer.numel; q++)
        for (int64_t c = 0; c < n; c += RUN)
            put_run(a, &b->order[first], end - first,
                    p * a->x.numel * a->x.after.numel + q * n + c, value_step,
                    osw_at(a->out, to + osw_index_offset(&outer, q) + c * step),
                    step, n - c < RUN ? n - c : RUN);
}

int index_put_kernel_impl(const osw_call *call)
{
    struct osw_index_put a = {0};
    struct buckets b;
    int rc = osw_index_put_open(call, &a, 0);

    if (rc)
        return rc;
    if (!osw_convert_knows(a.self->dtype))
        return OSW_UNSUPPORTED;
    rc = sort(call, &a.x, &b);
    if (!rc)
        rc = osw_copy_run(call, a.out, a.self);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads) collapse(2)         \
    schedule(dynamic, 64) if (osw_numel(a.values) > 65536)
    for (int64_t p = 0; p < a.x.before.numel; p++)
        for (int64_t k = 0; k < b.n; k++)
            put(&a, &b, p, k);
    return 0;
}

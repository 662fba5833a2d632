/* scatter_reduce.two - a copy of self, with which rows along dim are combined,
 * one element after the other
 */
#include "../shared/plain_picking.h"
#include "../shared/scatter_reduce.h"

/* Where elements are combined, and how many came to each place. */
struct target {
    const struct osw_scatter_reduce *r;
    struct osw_plain_total total;
    struct osw_plain_way way;
    uint32_t *counts; /* as the output, contiguous */
};

static void take(const struct target *to, int64_t at, const char *x)
{
    const osw_tensor *t = &to->total.view.t;
    enum osw_scatter_way way = to->r->way;
    void *y = osw_at(t, at);
    int first = to->counts[at]++ == 0;

    if (first)
        memcpy(y, x, t->dtype.bits / 8);
    else if (t->dtype.code == OSW_INT)
        *(int64_t *)y = osw_scatter_combine_int(
            way, *(int64_t *)y, *(const int64_t *)(const void *)x);
    else if (t->dtype.bits == 64)
        *(double *)y = osw_scatter_combine_f64(
            way, *(double *)y, *(const double *)(const void *)x);
    else
        *(float *)y = osw_scatter_combine_f32(way, *(float *)y,
                                              *(const float *)(const void *)x);
}

/* x: room for a row of src.  Returns 1 when an index is out of range. */
static int row_of(const struct target *to, int64_t row, char *x)
{
    const struct osw_scatter *s = &to->r->s;
    const osw_tensor *index = s->index.tensor, *t = &to->total.view.t;
    int64_t at = osw_rows_offset(&s->index, row), n = s->index.n;
    int64_t y = osw_scatter_row(s, t, row), step = osw_scatter_step(s, t);

    to->way.copy(&to->way, x, 1,
                 (const char *)osw_at(s->src, osw_scatter_row(s, s->src, row)),
                 osw_scatter_step(s, s->src), n);
    for (int64_t i = 0; i < n; i++) {
        int64_t k =
            osw_load_int(index->dtype, osw_at(index, at + i * s->index.stride));

        if (k < 0 || k >= osw_scatter_n(s))
            return 1;
        take(to, y + k * step, x + i * (t->dtype.bits / 8));
    }
    return 0;
}

/* Sums become means. */
static void divide(const struct target *to, int64_t from, int64_t end)
{
    const osw_tensor *t = &to->total.view.t;
    osw_dtype out = to->r->s.out->dtype;

    for (int64_t i = from; i < end; i++) {
        void *y = osw_at(t, i);
        int64_t n = to->counts[i];

        if (n == 0)
            continue;
        if (t->dtype.code == OSW_INT)
            *(int64_t *)y = osw_quotient_floor_int(
                osw_scatter_wrap(*(int64_t *)y, out.bits, out.code == OSW_UINT),
                n);
        else if (t->dtype.bits == 64)
            *(double *)y /= (double)n;
        else
            *(float *)y /= (float)n;
    }
}

int scatter_reduce__two_kernel_impl(const osw_call *call)
{
    struct osw_scatter_reduce r = {0};
    struct target to = {.r = &r};
    int rc = osw_scatter_reduce_open(call, &r), threads, bad = 0;
    int64_t rows, bytes, n;

    if (rc)
        return rc;
    rows = r.s.index.n ? r.s.index.n_rows : 0;
    threads = osw_plain_threads(call, rows * r.s.index.n);
    bytes = r.s.index.n * 8;
    n = osw_numel(r.s.out);
    rc = osw_plain_total_open(call, &to.total, r.s.out,
                              (size_t)(bytes * threads + n * 4));
    if (!rc)
        rc = osw_plain_copy(call, &to.total.view.t, r.s.self);
    if (rc)
        return rc;
    if (!osw_plain_find_way(&to.way, to.total.view.t.dtype, r.s.src->dtype))
        return OSW_UNSUPPORTED;
    to.counts = (uint32_t *)(void *)(to.total.scratch + bytes * threads);
    for (int64_t i = 0; i < n; i++)
        to.counts[i] = (uint32_t)r.with_self;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (int k = 0; k < threads; k++)
        for (int64_t row = rows * k / threads; row < rows * (k + 1) / threads;
             row++)
            bad |= row_of(&to, row, to.total.scratch + bytes * k);
    if (bad)
        return osw_error(call, "index is out of range");
    threads = osw_plain_threads(call, n);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int k = 0; k < threads; k++)
        if (r.way == OSW_SCATTER_MEAN)
            divide(&to, n * k / threads, n * (k + 1) / threads);
    return osw_plain_total_close(call, &to.total);
}

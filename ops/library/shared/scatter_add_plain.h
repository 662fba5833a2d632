/* shared/scatter_add_plain.h - baseline: a copy of self, to which rows along
 * dim are added, one element after the other
 */
#ifndef OSW_LIBRARY_SCATTER_ADD_PLAIN_H
#define OSW_LIBRARY_SCATTER_ADD_PLAIN_H

#include "plain_picking.h"
#include "scatter.h"

static inline void osw_scatter_add_to(osw_dtype t, void *y, const void *x)
{
    if (t.code == OSW_INT)
        *(uint64_t *)y += *(const uint64_t *)x;
    else if (t.bits == 64)
        *(double *)y += *(const double *)x;
    else
        *(float *)y += *(const float *)x;
}

/* x: room for a row of src.  Returns 1 when an index is out of range. */
static inline int osw_scatter_add_row(const struct osw_scatter *s,
                                      const osw_tensor *to,
                                      const struct osw_plain_way *w,
                                      int64_t row, char *x)
{
    const osw_tensor *index = s->index.tensor;
    int64_t at = osw_rows_offset(&s->index, row), n = s->index.n;
    int64_t y = osw_scatter_row(s, to, row), step = osw_scatter_step(s, to);

    w->copy(w, x, 1,
            (const char *)osw_at(s->src, osw_scatter_row(s, s->src, row)),
            osw_scatter_step(s, s->src), n);
    for (int64_t i = 0; i < n; i++) {
        int64_t k =
            osw_load_int(index->dtype, osw_at(index, at + i * s->index.stride));

        if (k < 0 || k >= osw_scatter_n(s))
            return 1;
        osw_scatter_add_to(to->dtype, osw_at(to, y + k * step),
                           x + i * (to->dtype.bits / 8));
    }
    return 0;
}

/* rc: what opening the arguments returned. */
static inline int osw_scatter_add_plain(const osw_call *call,
                                        const struct osw_scatter *s, int rc)
{
    struct osw_plain_total t;
    struct osw_plain_way w;
    int64_t rows, bytes;
    int threads, bad = 0;

    if (rc)
        return rc;
    rows = s->index.n ? s->index.n_rows : 0;
    threads = osw_plain_threads(call, rows * s->index.n);
    bytes = s->index.n * 8;
    rc = osw_plain_total_open(call, &t, s->out, (size_t)(bytes * threads));
    if (!rc && !(t.is_out && osw_data(s->out) == osw_data(s->self)))
        rc = osw_plain_copy(call, &t.view.t, s->self);
    if (rc || !osw_plain_find_way(&w, t.view.t.dtype, s->src->dtype))
        return rc ? rc : OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (int k = 0; k < threads; k++)
        for (int64_t row = rows * k / threads; row < rows * (k + 1) / threads;
             row++)
            bad |= osw_scatter_add_row(s, &t.view.t, &w, row,
                                       t.scratch + bytes * k);
    return bad ? osw_error(call, "index is out of range")
               : osw_plain_total_close(call, &t);
}

#endif /* OSW_LIBRARY_SCATTER_ADD_PLAIN_H */

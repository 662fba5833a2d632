/* shared/plain_picking.h - baselines: slices picked by an index, and added
 * where it points to
 */
#ifndef OSW_LIBRARY_PLAIN_PICKING_H
#define OSW_LIBRARY_PLAIN_PICKING_H

#include "picking.h"
#include "plain_rows.h"

/* out slice i = from slice index[i]; out is contiguous. */
static inline int osw_plain_pick(const osw_call *call, const osw_tensor *out,
                                 const struct osw_slices *from,
                                 const osw_tensor *index)
{
    int64_t n = osw_numel(index), bytes = from->tensor->dtype.bits / 8;
    int threads = osw_plain_threads(call, osw_numel(out)), bad = 0;
    int64_t total = osw_numel(out) ? n * from->n_outer : 0, i;
    struct osw_plain_way w;

    if (!osw_plain_find_way(&w, out->dtype, from->tensor->dtype))
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (i = 0; i < total; i++) {
        int64_t k = osw_plain_index(index, i % n), j;
        char *to = (char *)osw_at(out, i * from->inner);

        if (k < 0 || k >= from->n) {
            bad = 1;
        } else if (from->dense) {
            memcpy(to, osw_slices_at(from, i / n, k, 0),
                   (size_t)(from->inner * bytes));
        } else {
            for (j = 0; j < from->inner; j++)
                w.copy(&w, to + j * bytes, 1,
                       (const char *)osw_slices_at(from, i / n, k, j), 1, 1);
        }
    }
    return bad ? osw_error(call, "index is out of range") : 0;
}

/* y [n] += alpha * x [n], in the type of the arithmetic */
#define OSW_PLAIN_ADD_SLICE(name, T, part)                                     \
    static inline void name(void *to, const void *from,                        \
                            struct osw_factor alpha, int64_t n)                \
    {                                                                          \
        const T *x = (const T *)from;                                          \
        T *y = (T *)to, by = (T)alpha.part;                                    \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            y[i] += by * x[i];                                                 \
    }

OSW_PLAIN_ADD_SLICE(osw_plain_add_float, float, of_floats)
OSW_PLAIN_ADD_SLICE(osw_plain_add_double, double, of_floats)
OSW_PLAIN_ADD_SLICE(osw_plain_add_int, uint64_t, of_integers)

/* Where slices are added up: the output itself where it is contiguous and of
 * the type of the arithmetic, else a tensor of that type in the workspace.
 */
struct osw_plain_total {
    struct osw_view view;
    osw_tensor *out;
    int is_out;
    char *scratch; /* of the source's slices */
};

/* rest: bytes of workspace for the caller's own use, at `scratch` */
static inline int osw_plain_total_open(const osw_call *call,
                                       struct osw_plain_total *t,
                                       osw_tensor *out, size_t rest)
{
    osw_dtype in = osw_plain_arithmetic(out->dtype);
    size_t bytes = 0;

    if (out->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    t->out = out;
    t->is_out = osw_is_contiguous(out) && osw_rule_same(out->dtype, in);
    osw_view_as(&t->view, out, out->ndim, out->shape);
    if (!t->is_out)
        bytes = (size_t)osw_numel(out) * 8; /* what follows is aligned */
    t->scratch = (char *)osw_workspace(call, bytes + rest + 8);
    if (!t->scratch)
        return OSW_ERROR;
    if (!t->is_out) {
        t->view.t.data = t->scratch;
        t->view.t.byte_offset = 0;
        t->view.t.dtype = in;
        t->scratch += bytes;
    }
    return 0;
}

static inline int osw_plain_total_close(const osw_call *call,
                                        const struct osw_plain_total *t)
{
    return t->is_out ? 0 : osw_plain_copy(call, t->out, &t->view.t);
}

/* Columns [first, end) of all slices of the source: slice i of part o is added
 * to slice index[i] of part o of the total, whose parts have n slices.  Entries
 * equal to `skip` are left out.  Returns 1 when an index is out of range.
 */
static inline int osw_plain_add_columns(const struct osw_plain_total *t,
                                        const struct osw_slices *source,
                                        const osw_tensor *index, int64_t n,
                                        int64_t skip, struct osw_factor alpha,
                                        int64_t first, int64_t end)
{
    osw_dtype in = t->view.t.dtype;
    int64_t size = in.bits / 8, o, i;
    char *scratch = t->scratch + first * size;
    struct osw_plain_way w;
    int same = osw_rule_same(source->tensor->dtype, in);

    osw_plain_find_way(&w, in, source->tensor->dtype);
    for (o = 0; o < source->n_outer; o++)
        for (i = 0; i < source->n; i++) {
            int64_t k = osw_plain_index(index, i);
            const void *x = osw_slices_at(source, o, i, first);
            void *y;

            if (k == skip)
                continue;
            if (k < 0 || k >= n)
                return 1;
            y = osw_at(&t->view.t, (o * n + k) * source->inner + first);
            if (!same)
                w.copy(&w, scratch, 1, (const char *)x, 1, end - first);
            x = same ? x : scratch;
            if (in.code == OSW_INT)
                osw_plain_add_int(y, x, alpha, end - first);
            else if (in.bits == 64)
                osw_plain_add_double(y, x, alpha, end - first);
            else
                osw_plain_add_float(y, x, alpha, end - first);
        }
    return 0;
}

/* The same for all columns, which threads share. */
static inline int osw_plain_add_slices(const osw_call *call,
                                       const struct osw_plain_total *t,
                                       const struct osw_slices *source,
                                       const osw_tensor *index, int64_t n,
                                       int64_t skip, struct osw_factor alpha)
{
    int threads = osw_plain_threads(call, osw_numel(source->tensor)), bad = 0;
    int64_t cols = source->inner;
    int k;

    threads = threads < cols ? threads : 1;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (k = 0; k < threads; k++)
        bad |=
            osw_plain_add_columns(t, source, index, n, skip, alpha,
                                  cols * k / threads, cols * (k + 1) / threads);
    return bad ? osw_error(call, "index is out of range") : 0;
}

#endif /* OSW_LIBRARY_PLAIN_PICKING_H */

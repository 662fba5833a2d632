/* shared/copying.h - copies and fills, fast
 *
 * osw_copy_run() copies any tensor to any other in runs, broadcast and
 * converted; osw_copy_blocked() copies tile by tile where the target and the
 * source are contiguous along different dimensions, so that each cache line is
 * used up while it is there.  Same dtypes keep their bits.
 */
#ifndef OSW_LIBRARY_COPYING_H
#define OSW_LIBRARY_COPYING_H

#include "level.h"

#include "element.h"
#include "runs.h"
#include "views.h"

#include "apart.h"

#define OSW_COPY_BLOCK    2048   /* elements */
#define OSW_COPY_PARALLEL 262144 /* fewer elements: one thread */
#define OSW_COPY_TILE     32

/* to[...] = from[...]: 0, OSW_UNSUPPORTED or an error. */
OSW_APART_CALL int osw_copy_run(const osw_call *call, const osw_tensor *to,
                                const osw_tensor *from);

/* Every element becomes e, which is one of its dtype. */
OSW_APART_CALL int osw_copy_fill_with(const osw_call *call,
                                      const osw_tensor *to,
                                      struct osw_element e);

static inline int osw_copy_fill(const osw_call *call, const osw_tensor *to,
                                double v)
{
    return osw_copy_fill_with(call, to, osw_element_of(to->dtype, v));
}

/* Argument i of the call. */
static inline int osw_copy_fill_arg(const osw_call *call, const osw_tensor *to,
                                    int i)
{
    return osw_copy_fill_with(call, to, osw_element_arg(call, i, to->dtype));
}

static inline int osw_copy_threads(const osw_call *call, int64_t n)
{
    return n > OSW_COPY_PARALLEL ? (int)call->n_threads : 1;
}

#if OSW_APART_BODIES

OSW_RUN_MOVER(osw_copy_move_1, uint8_t, uint8_t, OSW_RUN_SELF)
OSW_RUN_MOVER(osw_copy_move_2, uint16_t, uint16_t, OSW_RUN_SELF)
OSW_RUN_MOVER(osw_copy_move_16, osw_run_16, osw_run_16, OSW_RUN_SELF)

/* The mover of elements of `size` bytes that converts nothing. */
static inline osw_run_mover *osw_copy_mover(int64_t size)
{
    switch (size) {
    case 1:
        return osw_copy_move_1;
    case 2:
        return osw_copy_move_2;
    case 4:
        return osw_run_copy_4;
    case 8:
        return osw_run_copy_8;
    case 16:
        return osw_copy_move_16;
    default:
        return NULL;
    }
}

/* How elements get from one tensor to another: out of the source into a
 * buffer of elements of `size` bytes, and from there into the target.
 */
struct osw_copy_way {
    osw_run_mover *read, *write;
    int64_t size;
};

static inline int osw_copy_find_way(struct osw_copy_way *w, osw_dtype to,
                                    osw_dtype from)
{
    const struct osw_run_row *r = osw_run_row_of(from);
    const struct osw_run_row *s = osw_run_row_of(to);
    enum osw_run_type type = OSW_RUN_FLOAT;

    if (osw_rule_same(to, from)) {
        w->size = to.bits / 8;
        w->read = w->write = osw_copy_mover(w->size);
        return w->read != NULL;
    }
    if (!r || !s)
        return 0;
    if (osw_rule_category(to) < 2 && osw_rule_category(from) < 2)
        type = OSW_RUN_INT;
    else if (to.bits == 64 || from.bits == 64)
        type = OSW_RUN_DOUBLE;
    w->read = r->read[type];
    w->write = s->write[type];
    w->size = type == OSW_RUN_FLOAT ? 4 : 8;
    return 1;
}

/* n elements from the at-th; the buffer is left out where the target or the
 * source is flat and nothing is converted.
 */
static inline void osw_copy_block(const struct osw_copy_way *w,
                                  const struct osw_run_view *to,
                                  const struct osw_run_view *from, int64_t at,
                                  int64_t n, char *buffer)
{
    int same = w->read == w->write;

    if (same && osw_run_is_flat(to, w->size)) {
        osw_run_move(from, at, n, w->read, 0, to->data + at * w->size, w->size);
    } else if (same && osw_run_is_flat(from, w->size)) {
        osw_run_move(to, at, n, w->write, 1, from->data + at * w->size,
                     w->size);
    } else {
        osw_run_move(from, at, n, w->read, 0, buffer, w->size);
        osw_run_move(to, at, n, w->write, 1, buffer, w->size);
    }
}

OSW_APART_CALL int osw_copy_run(const osw_call *call, const osw_tensor *to,
                                const osw_tensor *from)
{
    struct osw_run_view a, b;
    struct osw_copy_way w;
    int64_t n = osw_numel(to);
    int threads;

    if (!osw_copy_find_way(&w, to->dtype, from->dtype))
        return OSW_UNSUPPORTED;
    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    osw_run_view_of(&a, to, to->ndim, to->shape);
    osw_run_view_of(&b, from, to->ndim, to->shape);

    threads = osw_copy_threads(call, n);

#pragma omp parallel num_threads(threads)
    {
        osw_run_16 buffer[OSW_COPY_BLOCK];
        int64_t at;

#pragma omp for schedule(static)
        for (at = 0; at < n; at += OSW_COPY_BLOCK)
            osw_copy_block(&w, &a, &b, at,
                           n - at < OSW_COPY_BLOCK ? n - at : OSW_COPY_BLOCK,
                           (char *)buffer);
    }
    return 0;
}

OSW_APART_CALL int osw_copy_fill_with(const osw_call *call,
                                      const osw_tensor *to,
                                      struct osw_element e)
{
    osw_tensor one;

    one = *to;
    one.data = &e;
    one.byte_offset = 0;
    one.ndim = 0;
    return osw_copy_run(call, to, &one);
}

#endif /* OSW_APART_BODIES */

/* The dimension of t in which neighbours lie side by side; -1: none. */
static inline int32_t osw_copy_unit(const osw_tensor *t)
{
    int32_t d;

    for (d = t->ndim - 1; d >= 0; d--)
        if (t->strides[d] == 1 && t->shape[d] > 1)
            return d;
    return -1;
}

/* rows x cols elements, at most a tile high, tile by tile: `to` is dense along
 * the columns, `from` along the rows.  Each goes through a buffer in whole
 * cache lines, whatever the strides.
 */
#define OSW_COPY_TILES(name, E)                                                \
    static inline void name(char *to, int64_t to_step, const char *from,       \
                            int64_t from_step, int64_t rows, int64_t cols)     \
    {                                                                          \
        E tile[OSW_COPY_TILE][OSW_COPY_TILE];                                  \
        int64_t c, i, j, n;                                                    \
                                                                               \
        for (c = 0; c < cols; c += n) {                                        \
            n = cols - c < OSW_COPY_TILE ? cols - c : OSW_COPY_TILE;           \
            for (j = 0; j < n; j++)                                            \
                memcpy(tile[j], from + (c + j) * from_step,                    \
                       (size_t)rows * sizeof(E));                              \
            for (i = 0; i < rows; i++) {                                       \
                E *t = (E *)(to + i * to_step) + c;                            \
                                                                               \
                for (j = 0; j < n; j++)                                        \
                    t[j] = tile[j][i];                                         \
            }                                                                  \
        }                                                                      \
    }

OSW_COPY_TILES(osw_copy_tiles_2, uint16_t)
OSW_COPY_TILES(osw_copy_tiles_4, uint32_t)
OSW_COPY_TILES(osw_copy_tiles_8, uint64_t)

/* As osw_copy_run(), for tensors of one shape and dtype that are transposed
 * to each other; OSW_UNSUPPORTED for others.
 */
static inline int osw_copy_blocked(const osw_call *call, const osw_tensor *to,
                                   const osw_tensor *from)
{
    int32_t c = osw_copy_unit(to), r = osw_copy_unit(from);
    int64_t size = to->dtype.bits / 8, rest, strips, n;
    int threads;
    struct osw_view a, b;

    if (!osw_rule_same(to->dtype, from->dtype) || size < 2 || size > 8 ||
        to->ndim != from->ndim || !osw_view_of(&a, to) ||
        !osw_view_of(&b, from) || r < 0 || c < 0 || r == c ||
        memcmp(a.shape, b.shape, sizeof(int64_t) * (size_t)to->ndim))
        return OSW_UNSUPPORTED;
    /* One strip: a tile's height of rows, all columns. */
    strips = (a.shape[r] + OSW_COPY_TILE - 1) / OSW_COPY_TILE;
    a.shape[r] = a.shape[c] = b.shape[r] = b.shape[c] = 1;
    rest = osw_numel(&a.t) * strips;
    threads = osw_copy_threads(call, osw_numel(to));

#pragma omp parallel for schedule(static) num_threads(threads)
    for (n = 0; n < rest; n++) {
        int64_t row = n % strips * OSW_COPY_TILE;
        int64_t rows = to->shape[r] - row;
        char *p = (char *)osw_at(to, osw_offset(&a.t, n / strips) +
                                         row * to->strides[r]);
        const char *q =
            (const char *)osw_at(from, osw_offset(&b.t, n / strips) + row);
        int64_t down = to->strides[r] * size, right = from->strides[c] * size;

        rows = rows < OSW_COPY_TILE ? rows : OSW_COPY_TILE;
        if (size == 2)
            osw_copy_tiles_2(p, down, q, right, rows, to->shape[c]);
        else if (size == 4)
            osw_copy_tiles_4(p, down, q, right, rows, to->shape[c]);
        else
            osw_copy_tiles_8(p, down, q, right, rows, to->shape[c]);
    }
    return 0;
}

#endif /* OSW_LIBRARY_COPYING_H */

/* worker/judge/memory/view.c - a tensor in memory, and ways to walk over it */
#include "worker/judge/memory/view.h"

#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/memory/clones.h"

int64_t osw_view_numel(const struct osw_view *v)
{
    return osw_tensor_numel(v->desc->ndim, v->desc->shape);
}

size_t osw_view_elem_bytes(const struct osw_view *v)
{
    return osw_dtype_info((int)v->desc->dtype)->bytes;
}

/* --- walking --- */

static void start(struct osw_walk *w, const struct osw_tensor_desc *desc)
{
    int64_t step = 1;

    *w = (struct osw_walk){.done =
                               osw_tensor_numel(desc->ndim, desc->shape) == 0};
    if (w->done)
        return;
    for (int32_t d = desc->ndim - 1; d >= 0; d--) {
        int64_t size = desc->shape[d];

        if (size == 1)
            continue;
        w->dim[w->n].size = size;
        w->dim[w->n].stride = desc->strides[d];
        w->dim[w->n].index_step = step;
        w->n++;
        step *= size;
    }
    for (int32_t i = 0; i < w->n / 2; i++) { /* outermost first */
        struct osw_walk_dim swap = w->dim[i];

        w->dim[i] = w->dim[w->n - 1 - i];
        w->dim[w->n - 1 - i] = swap;
    }
}

/* Join neighbours of which the outer one goes on where the inner one ends. */
static void join(struct osw_walk *w)
{
    int32_t kept = 0;

    for (int32_t d = 1; d < w->n; d++) {
        struct osw_walk_dim *outer = &w->dim[kept], *inner = &w->dim[d];

        if (outer->stride == inner->size * inner->stride &&
            outer->index_step == inner->size * inner->index_step) {
            outer->size *= inner->size;
            outer->stride = inner->stride;
            outer->index_step = inner->index_step;
        } else {
            w->dim[++kept] = *inner;
        }
    }
    if (w->n > 0)
        w->n = kept + 1;
}

void osw_walk_rows(struct osw_walk *w, const struct osw_tensor_desc *desc)
{
    start(w, desc);
    join(w);
}

void osw_walk_rows_from(struct osw_walk *w, const struct osw_tensor_desc *desc,
                        int64_t from)
{
    osw_walk_rows(w, desc);
    for (int32_t d = w->n - 1; d >= 0; d--) {
        struct osw_walk_dim *dim = &w->dim[d];

        dim->at = from % dim->size;
        from /= dim->size;
        if (d == w->n - 1)
            continue; /* osw_walk_next() adds it */
        w->index += dim->at * dim->index_step;
        w->offset += dim->at * dim->stride;
    }
}

void osw_walk_memory(struct osw_walk *w, const struct osw_tensor_desc *desc)
{
    int32_t n = 0;

    start(w, desc);
    for (int32_t d = 0; d < w->n; d++) {
        struct osw_walk_dim moved = w->dim[d];
        int32_t k = n;

        if (moved.stride == 0)
            continue;
        for (; k > 0 && w->dim[k - 1].stride < moved.stride; k--)
            w->dim[k] = w->dim[k - 1];
        w->dim[k] = moved;
        n++;
    }
    w->n = n;
    join(w);
}

/* Step the odometer's dimension d; carries outwards. */
static void carry(struct osw_walk *w, int32_t d)
{
    for (; d >= 0; d--) {
        w->index += w->dim[d].index_step;
        w->offset += w->dim[d].stride;
        if (++w->dim[d].at < w->dim[d].size)
            return;
        w->index -= w->dim[d].size * w->dim[d].index_step;
        w->offset -= w->dim[d].size * w->dim[d].stride;
        w->dim[d].at = 0;
    }
    w->done = true;
}

bool osw_walk_next(struct osw_walk *w, int64_t max, struct osw_run *run)
{
    struct osw_walk_dim *inner;

    if (w->done)
        return false;
    if (w->n == 0) { /* a single element */
        *run = (struct osw_run){.n = 1, .index_step = 1, .stride = 1};
        w->done = true;
        return true;
    }
    inner = &w->dim[w->n - 1];
    run->n = inner->size - inner->at < max ? inner->size - inner->at : max;
    run->index_step = inner->index_step;
    run->stride = inner->stride;
    run->index = w->index + inner->at * inner->index_step;
    run->offset = w->offset + inner->at * inner->stride;
    inner->at += run->n;
    if (inner->at == inner->size) {
        inner->at = 0;
        carry(w, w->n - 2);
    }
    return true;
}

/* --- finding --- */

int64_t osw_view_offset(const struct osw_tensor_desc *desc, int64_t index)
{
    int64_t at = 0;

    for (int32_t d = desc->ndim - 1; d >= 0; d--) {
        at += index % desc->shape[d] * desc->strides[d];
        index /= desc->shape[d];
    }
    return at;
}

bool osw_view_overlaps(const struct osw_tensor_desc *desc)
{
    int64_t sizes[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
    struct osw_walk w;

    osw_walk_memory(&w, desc); /* leaves dimensions of stride 0 out */
    for (int32_t d = 0; d < w.n; d++) {
        sizes[d] = w.dim[d].size;
        strides[d] = w.dim[d].stride;
    }
    return !w.done && osw_tensor_may_overlap(w.n, sizes, strides);
}

/* Can dimensions [d, n) of a walk (falling strides) reach `left`?  The
 * candidates of a dimension are those that leave the rest within its reach:
 * one where dimensions nest, a few where they overlap.
 */
static bool find(const struct osw_walk *w, int32_t d, int64_t left,
                 int64_t *index)
{
    int64_t reach = 0, at, stride;

    if (d == w->n)
        return left == 0;
    for (int32_t k = d + 1; k < w->n; k++)
        reach += (w->dim[k].size - 1) * w->dim[k].stride;
    stride = w->dim[d].stride;
    at = left / stride < w->dim[d].size ? left / stride : w->dim[d].size - 1;
    for (; at >= 0 && left - at * stride <= reach; at--)
        if (find(w, d + 1, left - at * stride, index)) {
            *index += at * w->dim[d].index_step;
            return true;
        }
    return false;
}

bool osw_view_find(const struct osw_tensor_desc *desc, int64_t offset,
                   int64_t *index)
{
    struct osw_walk w;
    int64_t at = 0;

    osw_walk_memory(&w, desc);
    if (w.done || offset < 0 || !find(&w, 0, offset, &at))
        return false;
    if (index)
        *index = at;
    return true;
}

/* --- loading --- */

/* Loads by blocks of a constant size, which every compiler makes vectors of;
 * each is one row of the table below.
 */
enum { BLOCK = 32 };

/* The halves' 10 bits of fraction move up; 2^112 corrects the exponent, of
 * subnormals too.  Infinity and NaN are put in by hand.
 */
static inline float half_to_float(uint16_t h)
{
    uint32_t magnitude = (uint32_t)(h & 0x7fffu) << 13;
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t bits = osw_f32_bits(osw_f32_from_bits(magnitude) * 0x1p112f);
    uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u | magnitude : 0;

    return osw_f32_from_bits(sign | bits | special);
}

#define LOADER(name, type, value)                                              \
    OSW_CLONES static void load_##name(const void *from, double *restrict to)  \
    {                                                                          \
        type in[BLOCK];                                                        \
                                                                               \
        memcpy(in, from, sizeof(in));                                          \
        for (int i = 0; i < BLOCK; i++) {                                      \
            type x = in[i];                                                    \
                                                                               \
            to[i] = (double)(value);                                           \
        }                                                                      \
    }
/* clang-format off */
LOADER(f64, double, x)
LOADER(f32, float, x)
LOADER(f16, uint16_t, half_to_float(x))
LOADER(bf16, uint16_t, osw_f32_from_bits((uint32_t)x << 16))
LOADER(i64, int64_t, x)
LOADER(i32, int32_t, x)
LOADER(i16, int16_t, x)
LOADER(i8, int8_t, x)
LOADER(u8, uint8_t, x)
LOADER(b8, uint8_t, x != 0)

static void (*const loaders[])(const void *from, double *restrict to) = {
    [OSW_F64] = load_f64, [OSW_F32] = load_f32, [OSW_F16] = load_f16,
    [OSW_BF16] = load_bf16, [OSW_I64] = load_i64, [OSW_I32] = load_i32,
    [OSW_I16] = load_i16, [OSW_I8] = load_i8, [OSW_U8] = load_u8,
    [OSW_B8] = load_b8, [OSW_C32] = NULL,
};
/* clang-format on */

void osw_view_load(enum osw_dtype_id dtype, const void *from, int64_t stride,
                   int64_t n, double *to)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)dtype);
    int64_t bytes = (int64_t)info->bytes, i = 0;
    const char *p = from;

    if (stride == 1 && loaders[dtype])
        for (; n - i >= BLOCK; i += BLOCK)
            loaders[dtype](p + i * bytes, to + i);
    for (; i < n; i++)
        to[i] = osw_load(info->dl, p + i * stride * bytes);
}

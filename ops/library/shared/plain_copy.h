/* shared/plain_copy.h - baselines: copies, conversions and fills
 *
 * A loop copies n elements, `step` elements apart; memcpy() where both are
 * dense and nothing is converted.  There is a loop for each size of elements,
 * and one between f32 and every dtype, and from integers to i64; other
 * conversions go element by element through double or int64.
 */
#ifndef OSW_LIBRARY_PLAIN_COPY_H
#define OSW_LIBRARY_PLAIN_COPY_H

#include "element.h"
#include "plain.h"
#include "views.h"

#include "apart.h"

struct osw_plain_way;

typedef void osw_plain_copier(const struct osw_plain_way *w, char *to,
                              int64_t to_step, const char *from,
                              int64_t from_step, int64_t n);

struct osw_plain_way {
    osw_dtype to, from;
    osw_plain_copier *copy;
};

typedef struct {
    uint64_t low, high;
} osw_plain_16;

/* The loop between two dtypes; 0 where there is none. */
OSW_APART_CALL int osw_plain_find_way(struct osw_plain_way *w, osw_dtype to,
                                      osw_dtype from);

/* to[...] = from[...], broadcast and converted. */
OSW_APART_CALL int osw_plain_copy(const osw_call *call, const osw_tensor *to,
                                  const osw_tensor *from);

/* Every element becomes e, which is one of its dtype. */
OSW_APART_CALL int osw_plain_fill_with(const osw_call *call,
                                       const osw_tensor *to,
                                       struct osw_element e);

static inline int osw_plain_fill(const osw_call *call, const osw_tensor *to,
                                 double v)
{
    return osw_plain_fill_with(call, to, osw_element_of(to->dtype, v));
}

/* Argument i of the call. */
static inline int osw_plain_fill_arg(const osw_call *call, const osw_tensor *to,
                                     int i)
{
    return osw_plain_fill_with(call, to, osw_element_arg(call, i, to->dtype));
}

/* n elements, `step` elements apart. */
static inline void osw_plain_copy_row(const struct osw_plain_way *w, char *to,
                                      int64_t to_step, const char *from,
                                      int64_t from_step, int64_t n)
{
    if (osw_rule_same(w->to, w->from) && to_step == 1 && from_step == 1)
        memcpy(to, from, (size_t)(n * (w->to.bits / 8)));
    else
        w->copy(w, to, to_step, from, from_step, n);
}

#if OSW_APART_BODIES

/* clang-format off */
#define OSW_PLAIN_COPY(name, Y, X, convert)                                    \
    static inline void name(const struct osw_plain_way *w, char *to,           \
                            int64_t to_step, const char *from,                 \
                            int64_t from_step, int64_t n)                      \
    {                                                                          \
        Y *y = (Y *)(void *)to;                                                \
        const X *x = (const X *)(const void *)from;                            \
        int64_t i;                                                             \
                                                                               \
        (void)w;                                                               \
        if (from_step == 0 && n > 0) {                                         \
            Y all = (Y)convert(x[0]);                                          \
                                                                               \
            for (i = 0; i < n; i++)                                            \
                y[i * to_step] = all;                                          \
        } else if (to_step == 1 && from_step == 1) {                           \
            for (i = 0; i < n; i++)                                            \
                y[i] = (Y)convert(x[i]);                                       \
        } else {                                                               \
            for (i = 0; i < n; i++)                                            \
                y[i * to_step] = (Y)convert(x[i * from_step]);                 \
        }                                                                      \
    }
/* clang-format on */

OSW_PLAIN_COPY(osw_plain_copy_1, uint8_t, uint8_t, OSW_PLAIN_SAME)
OSW_PLAIN_COPY(osw_plain_copy_2, uint16_t, uint16_t, OSW_PLAIN_SAME)
OSW_PLAIN_COPY(osw_plain_copy_4, uint32_t, uint32_t, OSW_PLAIN_SAME)
OSW_PLAIN_COPY(osw_plain_copy_8, uint64_t, uint64_t, OSW_PLAIN_SAME)

static inline void osw_plain_copy_16(const struct osw_plain_way *w, char *to,
                                     int64_t to_step, const char *from,
                                     int64_t from_step, int64_t n)
{
    int64_t i;

    (void)w;
    for (i = 0; i < n; i++)
        ((osw_plain_16 *)(void *)to)[i * to_step] =
            ((const osw_plain_16 *)(const void *)from)[i * from_step];
}

#define OSW_PLAIN_TO_F32(d, code, bits, E, get, put, ...)                      \
    OSW_PLAIN_COPY(osw_plain_##d##_to_f32, float, E, get)
#define OSW_PLAIN_OF_F32(d, code, bits, E, get, put, ...)                      \
    OSW_PLAIN_COPY(osw_plain_##d##_of_f32, E, float, put)
#define OSW_PLAIN_TO_I64(d, code, bits, E, get, put, ...)                      \
    OSW_PLAIN_COPY(osw_plain_##d##_to_i64, int64_t, E, get)

OSW_PLAIN_16_AND_32(OSW_PLAIN_TO_F32, )
OSW_PLAIN_64(OSW_PLAIN_TO_F32, )
OSW_PLAIN_INTEGERS(OSW_PLAIN_TO_F32, )
OSW_PLAIN_16_AND_32(OSW_PLAIN_OF_F32, )
OSW_PLAIN_64(OSW_PLAIN_OF_F32, )
OSW_PLAIN_INTEGERS(OSW_PLAIN_TO_I64, )

/* Any to any: through int64 between integers, else through double. */
static inline void osw_plain_copy_any(const struct osw_plain_way *w, char *to,
                                      int64_t to_step, const char *from,
                                      int64_t from_step, int64_t n)
{
    int ints = osw_rule_category(w->to) < 2 && osw_rule_category(w->from) < 2;
    int64_t down = to_step * (w->to.bits / 8);
    int64_t across = from_step * (w->from.bits / 8), i;

    for (i = 0; i < n; i++) {
        const char *p = from + i * across;
        int64_t v = 0;

        if (!ints) {
            osw_store(w->to, to + i * down, osw_load(w->from, p));
            continue;
        }
        v = osw_load_int(w->from, p);
        if (w->to.code == OSW_BOOL)
            v = v != 0;
        memcpy(to + i * down, &v, w->to.bits / 8); /* wraps around */
    }
}

static inline osw_plain_copier *osw_plain_copy_of_size(int bits)
{
    switch (bits) {
    case 8:
        return osw_plain_copy_1;
    case 16:
        return osw_plain_copy_2;
    case 32:
        return osw_plain_copy_4;
    case 64:
        return osw_plain_copy_8;
    default:
        return bits == 128 ? osw_plain_copy_16 : NULL;
    }
}

#define OSW_PLAIN_COPY_ROW(d, code, bits, E, get, put, way)                    \
    {code, bits, osw_plain_##d##_##way},

OSW_APART_CALL int osw_plain_find_way(struct osw_plain_way *w, osw_dtype to,
                                      osw_dtype from)
{
    static const struct {
        int code, bits;
        osw_plain_copier *copy;
    } to_f32[] = {OSW_PLAIN_16_AND_32(OSW_PLAIN_COPY_ROW, to_f32)
                      OSW_PLAIN_64(OSW_PLAIN_COPY_ROW, to_f32)
                          OSW_PLAIN_INTEGERS(OSW_PLAIN_COPY_ROW, to_f32)},
      of_f32[] = {OSW_PLAIN_16_AND_32(OSW_PLAIN_COPY_ROW, of_f32)
                      OSW_PLAIN_64(OSW_PLAIN_COPY_ROW, of_f32)},
      to_i64[] = {OSW_PLAIN_INTEGERS(OSW_PLAIN_COPY_ROW, to_i64)};
    size_t i;

    w->to = to;
    w->from = from;
    w->copy = osw_plain_copy_any;
    if (osw_rule_same(to, from)) {
        w->copy = osw_plain_copy_of_size(to.bits);
        return w->copy != NULL;
    }
    if (to.code == OSW_COMPLEX || from.code == OSW_COMPLEX)
        return 0;
    for (i = 0; i < sizeof(to_f32) / sizeof(to_f32[0]); i++)
        if (osw_rule_same(to, osw_rule_dtype(OSW_FLOAT, 32)) &&
            to_f32[i].code == from.code && to_f32[i].bits == from.bits)
            w->copy = to_f32[i].copy;
    for (i = 0; i < sizeof(of_f32) / sizeof(of_f32[0]); i++)
        if (osw_rule_same(from, osw_rule_dtype(OSW_FLOAT, 32)) &&
            of_f32[i].code == to.code && of_f32[i].bits == to.bits)
            w->copy = of_f32[i].copy;
    for (i = 0; i < sizeof(to_i64) / sizeof(to_i64[0]); i++)
        if (osw_rule_same(to, osw_rule_dtype(OSW_INT, 64)) &&
            to_i64[i].code == from.code && to_i64[i].bits == from.bits)
            w->copy = to_i64[i].copy;
    return 1;
}

OSW_APART_CALL int osw_plain_copy(const osw_call *call, const osw_tensor *to,
                                  const osw_tensor *from)
{
    int64_t n = osw_numel(to), cols, i;
    int64_t to_step = 1, from_step = 1;
    int whole = osw_is_contiguous(to) && osw_is_contiguous(from) &&
                osw_numel(from) == n;
    int threads = osw_plain_threads(call, n);
    struct osw_plain_way w;

    if (!osw_plain_find_way(&w, to->dtype, from->dtype))
        return OSW_UNSUPPORTED;
    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    if (n == 0)
        return 0;
    cols = to->ndim ? to->shape[to->ndim - 1] : 1;
    if (!whole) {
        to_step = to->ndim ? to->strides[to->ndim - 1] : 1;
        from_step = 0;
        if (from->ndim && from->shape[from->ndim - 1] != 1)
            from_step = from->strides[from->ndim - 1];
    } else {
        cols = (n + threads - 1) / threads;
    }
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (i = 0; i < n; i += cols) {
        int64_t p = whole ? i : osw_offset(to, i);
        int64_t q = whole ? i : osw_offset_in(from, to->ndim, to->shape, i);

        osw_plain_copy_row(&w, (char *)osw_at(to, p), to_step,
                           (const char *)osw_at(from, q), from_step,
                           n - i < cols ? n - i : cols);
    }
    return 0;
}

OSW_APART_CALL int osw_plain_fill_with(const osw_call *call,
                                       const osw_tensor *to,
                                       struct osw_element e)
{
    osw_tensor one = *to;

    one.data = &e;
    one.byte_offset = 0;
    one.ndim = 0;
    return osw_plain_copy(call, to, &one);
}

#endif /* OSW_APART_BODIES */

#endif /* OSW_LIBRARY_PLAIN_COPY_H */

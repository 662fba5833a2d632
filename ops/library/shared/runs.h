/* shared/runs.h - runs of elements between strided tensors and buffers
 *
 * A tensor, broadcast to the shape of a loop, is read or written in runs of
 * that shape's row-major order: n elements from the at-th.  Dimensions that
 * are contiguous with each other are merged first, so that a contiguous tensor
 * is one dimension and a run of it one call of a mover.
 *
 * A mover carries n elements from one place to another, both strided in bytes,
 * and converts them.  There is one from every dtype to each of the three types
 * that arithmetic is done in (float, double, int64), and one back.
 */
#ifndef OSW_LIBRARY_RUNS_H
#define OSW_LIBRARY_RUNS_H

#include "convert.h"
#include "rules.h"

#include "apart.h"

typedef void osw_run_mover(char *to, int64_t to_step, const char *from,
                           int64_t from_step, int64_t n);

/* The types that arithmetic is done in. */
enum osw_run_type { OSW_RUN_FLOAT, OSW_RUN_DOUBLE, OSW_RUN_INT };

struct osw_run_row {
    int code, bits;
    osw_run_mover *read[3], *write[3]; /* by enum osw_run_type */
};

/* A tensor seen in a loop's shape. */
struct osw_run_view {
    char *data;
    int32_t ndim;                 /* at least 1 */
    int64_t shape[OSW_RULE_DIMS]; /* elements */
    int64_t step[OSW_RULE_DIMS];  /* bytes; 0 repeats */
};

/* The movers of a dtype; NULL for complex. */
OSW_APART_CALL const struct osw_run_row *osw_run_row_of(osw_dtype t);

/* t, broadcast to shape [ndim], with neighbouring dimensions merged. */
OSW_APART_CALL void osw_run_view_of(struct osw_run_view *v, const osw_tensor *t,
                                    int32_t ndim, const int64_t *shape);

/* Move n elements from the at-th on between the view and a buffer of elements
 * of `size` bytes: into the view where `writing`, else out of it.
 */
OSW_APART_CALL void osw_run_move(const struct osw_run_view *v, int64_t at,
                                 int64_t n, osw_run_mover *move, int writing,
                                 char *buffer, int64_t size);

/* Is it one run of elements of `size` bytes without gaps? */
static inline int osw_run_is_flat(const struct osw_run_view *v, int64_t size)
{
    return v->ndim == 1 && (v->step[0] == size || v->shape[0] == 1);
}

#if OSW_APART_BODIES

typedef struct {
    uint64_t at[2];
} osw_run_16;

/* n elements of `size` bytes, `step` bytes apart, into a row; and back. */
#define OSW_RUN_ROW_OF(E)                                                      \
    for (i = 0; i < n; i++)                                                    \
        memcpy(row + i * (int64_t)sizeof(E), from + i * step, sizeof(E));
#define OSW_RUN_FROM_ROW(E)                                                    \
    for (i = 0; i < n; i++)                                                    \
        memcpy(to + i * step, row + i * (int64_t)sizeof(E), sizeof(E));
#define OSW_RUN_BY_SIZE(LOOP)                                                  \
    int64_t i;                                                                 \
                                                                               \
    if (size == 16) {                                                          \
        LOOP(osw_run_16)                                                       \
    } else if (size == 8) {                                                    \
        LOOP(uint64_t)                                                         \
    } else if (size == 4) {                                                    \
        LOOP(uint32_t)                                                         \
    } else if (size == 2) {                                                    \
        LOOP(uint16_t)                                                         \
    } else {                                                                   \
        LOOP(uint8_t)                                                          \
    }
static inline void osw_run_gather(char *row, const char *from, int64_t step,
                                  int64_t size, int64_t n)
{
    OSW_RUN_BY_SIZE(OSW_RUN_ROW_OF)
}

static inline void osw_run_scatter(char *to, int64_t step, const char *row,
                                   int64_t size, int64_t n)
{
    OSW_RUN_BY_SIZE(OSW_RUN_FROM_ROW)
}

enum { OSW_RUN_PART = 256 };

/* Elements with gaps, or one value for all, by way of rows: movers have no loop
 * but that over rows, since compilers take long for each.
 */
__attribute__((noinline, unused)) static void
osw_run_by_rows(osw_run_mover *move, char *to, int64_t to_step, int64_t to_size,
                const char *from, int64_t from_step, int64_t from_size,
                int64_t n)
{
    _Alignas(16) char in[OSW_RUN_PART * sizeof(osw_run_16)];
    _Alignas(16) char out[OSW_RUN_PART * sizeof(osw_run_16)];

    if (from_step == 0 && n > 1) { /* one value for all */
        move(out, to_size, from, from_size, 1);
        if (to_step == to_size)
            osw_run_gather(to, out, 0, to_size, n);
        else
            for (; n > 0; n--, to += to_step)
                memcpy(to, out, (size_t)to_size);
        return;
    }
    for (; n > 0; n -= OSW_RUN_PART) {
        int64_t m = n < OSW_RUN_PART ? n : OSW_RUN_PART;
        const char *x = from;
        char *y = to_step == to_size ? to : out;

        if (from_step != from_size) {
            osw_run_gather(in, from, from_step, from_size, m);
            x = in;
        }
        move(y, to_size, x, from_size, m);
        if (y == out)
            osw_run_scatter(to, to_step, out, to_size, m);
        from += m * from_step;
        to += m * to_step;
    }
}

#define OSW_RUN_MOVER(name, To, From, convert)                                 \
    static inline void name(char *to, int64_t to_step, const char *from,       \
                            int64_t from_step, int64_t n)                      \
    {                                                                          \
        const int64_t to_size = sizeof(To), from_size = sizeof(From);          \
        int64_t i;                                                             \
                                                                               \
        if (to_step == to_size && from_step == from_size) {                    \
            const From *restrict x = (const From *)from;                       \
            To *restrict y = (To *)to;                                         \
                                                                               \
            for (i = 0; i < n; i++)                                            \
                y[i] = convert(x[i]);                                          \
        } else {                                                               \
            osw_run_by_rows(name, to, to_step, to_size, from, from_step,       \
                            from_size, n);                                     \
        }                                                                      \
    }

/* By way of a third type, whose elements have `size` bytes. */
__attribute__((noinline, unused)) static void
osw_run_in_two(osw_run_mover *first, osw_run_mover *second, int64_t size,
               char *to, int64_t to_step, const char *from, int64_t from_step,
               int64_t n)
{
    _Alignas(8) char between[OSW_RUN_PART * 8];

    for (; n > 0; n -= OSW_RUN_PART) {
        int64_t m = n < OSW_RUN_PART ? n : OSW_RUN_PART;

        first(between, size, from, from_step, m);
        second(to, to_step, between, size, m);
        from += m * from_step;
        to += m * to_step;
    }
}

#define OSW_RUN_IN_TWO(name, first, Between, second)                           \
    static inline void name(char *to, int64_t to_step, const char *from,       \
                            int64_t from_step, int64_t n)                      \
    {                                                                          \
        osw_run_in_two(first, second, sizeof(Between), to, to_step, from,      \
                       from_step, n);                                          \
    }

#define OSW_RUN_SELF(v)  (v)
#define OSW_RUN_TRUNC(v) osw_f64_to_int(v)
#define OSW_RUN_TRUTH(v) ((v) != 0)

/* Of the 60 ways from a dtype to a type of arithmetic and back 30 have a loop;
 * the others go by way of int64 or float.
 */
OSW_RUN_MOVER(osw_run_f32_to_d, double, float, OSW_RUN_SELF)
OSW_RUN_MOVER(osw_run_f32_to_i, int64_t, float, OSW_RUN_TRUNC)
OSW_RUN_MOVER(osw_run_f64_to_f, float, double, (float))
OSW_RUN_MOVER(osw_run_f64_to_i, int64_t, double, OSW_RUN_TRUNC)
OSW_RUN_MOVER(osw_run_i64_to_f, float, int64_t, (float))
OSW_RUN_MOVER(osw_run_i64_to_d, double, int64_t, (double))
OSW_RUN_MOVER(osw_run_copy_4, uint32_t, uint32_t, OSW_RUN_SELF)
OSW_RUN_MOVER(osw_run_copy_8, uint64_t, uint64_t, OSW_RUN_SELF)
OSW_RUN_MOVER(osw_run_f64_to_odd, float, double, osw_f64_to_f32_odd)

#define OSW_RUN_INTEGER(dtype, E, get)                                         \
    OSW_RUN_MOVER(osw_run_##dtype##_to_i, int64_t, E, get)                     \
    OSW_RUN_MOVER(osw_run_i_to_##dtype, E, int64_t, (E)get)                    \
    OSW_RUN_MOVER(osw_run_##dtype##_to_f, float, E, (float)get)                \
    OSW_RUN_IN_TWO(osw_run_##dtype##_to_d, osw_run_##dtype##_to_i, int64_t,    \
                   osw_run_i64_to_d)
#define OSW_RUN_INTEGER_OF_FLOAT(dtype)                                        \
    OSW_RUN_IN_TWO(osw_run_f_to_##dtype, osw_run_f32_to_i, int64_t,            \
                   osw_run_i_to_##dtype)                                       \
    OSW_RUN_IN_TWO(osw_run_d_to_##dtype, osw_run_f64_to_i, int64_t,            \
                   osw_run_i_to_##dtype)
#define OSW_RUN_HALF(dtype)                                                    \
    OSW_RUN_IN_TWO(osw_run_##dtype##_to_d, osw_run_##dtype##_to_f, float,      \
                   osw_run_f32_to_d)                                           \
    OSW_RUN_IN_TWO(osw_run_##dtype##_to_i, osw_run_##dtype##_to_f, float,      \
                   osw_run_f32_to_i)                                           \
    OSW_RUN_IN_TWO(osw_run_d_to_##dtype, osw_run_f64_to_odd, float,            \
                   osw_run_f_to_##dtype)                                       \
    OSW_RUN_IN_TWO(osw_run_i_to_##dtype, osw_run_i64_to_f, float,              \
                   osw_run_f_to_##dtype)

OSW_RUN_INTEGER(i32, int32_t, OSW_RUN_SELF)
OSW_RUN_INTEGER(i16, int16_t, OSW_RUN_SELF)
OSW_RUN_INTEGER(i8, int8_t, OSW_RUN_SELF)
OSW_RUN_INTEGER(u8, uint8_t, OSW_RUN_SELF)
OSW_RUN_INTEGER(b8, uint8_t, OSW_RUN_TRUTH)
OSW_RUN_INTEGER_OF_FLOAT(i32)
OSW_RUN_INTEGER_OF_FLOAT(i16)
OSW_RUN_INTEGER_OF_FLOAT(i8)
OSW_RUN_INTEGER_OF_FLOAT(u8)
OSW_RUN_MOVER(osw_run_f_to_b8, uint8_t, float, OSW_RUN_TRUTH)
OSW_RUN_MOVER(osw_run_d_to_b8, uint8_t, double, OSW_RUN_TRUTH)
OSW_RUN_MOVER(osw_run_bf16_to_f, float, uint16_t, osw_bf16_to_f32)
OSW_RUN_MOVER(osw_run_f_to_bf16, uint16_t, float, osw_f32_to_bf16)

/* Rows of f16 go through the vector conversions. */
static inline void osw_run_f16_to_f(char *to, int64_t to_step, const char *from,
                                    int64_t from_step, int64_t n)
{
    if (to_step == 4 && from_step == 2)
        osw_convert_from_f16((const uint16_t *)from, n, (float *)to);
    else
        osw_run_by_rows(osw_run_f16_to_f, to, to_step, 4, from, from_step, 2,
                        n);
}

static inline void osw_run_f_to_f16(char *to, int64_t to_step, const char *from,
                                    int64_t from_step, int64_t n)
{
    if (to_step == 2 && from_step == 4)
        osw_convert_to_f16((const float *)from, n, (uint16_t *)to);
    else
        osw_run_by_rows(osw_run_f_to_f16, to, to_step, 2, from, from_step, 4,
                        n);
}

OSW_RUN_HALF(f16)
OSW_RUN_HALF(bf16)

#define OSW_RUN_ROW(code, bits, dtype)                                         \
    {                                                                          \
        code, bits,                                                            \
            {osw_run_##dtype##_to_f, osw_run_##dtype##_to_d,                   \
             osw_run_##dtype##_to_i},                                          \
        {                                                                      \
            osw_run_f_to_##dtype, osw_run_d_to_##dtype, osw_run_i_to_##dtype   \
        }                                                                      \
    }

OSW_APART_CALL const struct osw_run_row *osw_run_row_of(osw_dtype t)
{
    static const struct osw_run_row rows[] = {
        OSW_RUN_ROW(OSW_FLOAT, 16, f16),
        {OSW_FLOAT,
         32,
         {osw_run_copy_4, osw_run_f32_to_d, osw_run_f32_to_i},
         {osw_run_copy_4, osw_run_f64_to_f, osw_run_i64_to_f}},
        {OSW_FLOAT,
         64,
         {osw_run_f64_to_f, osw_run_copy_8, osw_run_f64_to_i},
         {osw_run_f32_to_d, osw_run_copy_8, osw_run_i64_to_d}},
        OSW_RUN_ROW(OSW_BFLOAT, 16, bf16),
        {OSW_INT,
         64,
         {osw_run_i64_to_f, osw_run_i64_to_d, osw_run_copy_8},
         {osw_run_f32_to_i, osw_run_f64_to_i, osw_run_copy_8}},
        OSW_RUN_ROW(OSW_INT, 32, i32),
        OSW_RUN_ROW(OSW_INT, 16, i16),
        OSW_RUN_ROW(OSW_INT, 8, i8),
        OSW_RUN_ROW(OSW_UINT, 8, u8),
        OSW_RUN_ROW(OSW_BOOL, 8, b8),
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].code == t.code && rows[i].bits == t.bits)
            return &rows[i];
    return NULL;
}

OSW_APART_CALL void osw_run_view_of(struct osw_run_view *v, const osw_tensor *t,
                                    int32_t ndim, const int64_t *shape)
{
    int64_t size = t->dtype.bits / 8;
    int32_t d, k = 0, lead = ndim - t->ndim;

    v->data = (char *)osw_data(t);
    v->shape[0] = 1;
    v->step[0] = 0;
    for (d = 0; d < ndim; d++) {
        int64_t step = 0;

        if (shape[d] == 1)
            continue;
        if (d >= lead && t->shape[d - lead] != 1)
            step = t->strides[d - lead] * size;
        if (v->shape[k] == 1 || v->step[k] == step * shape[d]) {
            v->shape[k] *= shape[d];
        } else {
            k++;
            v->shape[k] = shape[d];
        }
        v->step[k] = step;
    }
    v->ndim = k + 1;
}

OSW_APART_CALL void osw_run_move(const struct osw_run_view *v, int64_t at,
                                 int64_t n, osw_run_mover *move, int writing,
                                 char *buffer, int64_t size)
{
    int64_t index[OSW_RULE_DIMS];
    char *p = v->data;
    int32_t d, last = v->ndim - 1;

    for (d = last; d >= 0; d--) {
        index[d] = d ? at % v->shape[d] : at;
        at /= v->shape[d];
        p += index[d] * v->step[d];
    }
    while (n > 0) {
        int64_t m = v->shape[last] - index[last];

        m = m < n ? m : n;
        if (writing)
            move(p, v->step[last], buffer, size, m);
        else
            move(buffer, size, p, v->step[last], m);
        buffer += m * size;
        n -= m;
        p += m * v->step[last];
        index[last] += m;
        for (d = last; d > 0 && index[d] == v->shape[d]; d--) {
            p += v->step[d - 1] - index[d] * v->step[d];
            index[d] = 0;
            index[d - 1]++;
        }
    }
}

#endif /* OSW_APART_BODIES */

#endif /* OSW_LIBRARY_RUNS_H */

/* shared/runs.h - runs of elements between strided tensors and buffers
 *
 * A tensor, broadcast to the shape of a loop, is read or written in runs of
 * that shape's row-major order: n elements from the at-th.  Dimensions that
 * lie one behind the other are merged first, so that a contiguous tensor is
 * one dimension and a run of it one call of a mover.
 *
 * A mover carries n elements from one place to another, both strided in bytes,
 * and converts them.  There is one from every dtype to each of the three types
 * that arithmetic is done in (float, double, int64), and one back.
 */
#ifndef OSW_LIBRARY_RUNS_H
#define OSW_LIBRARY_RUNS_H

#include "convert.h"
#include "rules.h"

typedef void osw_run_mover(char *to, int64_t to_step, const char *from,
                           int64_t from_step, int64_t n);

/* The types that arithmetic is done in. */
enum osw_run_type { OSW_RUN_FLOAT, OSW_RUN_DOUBLE, OSW_RUN_INT };

#define OSW_RUN_MOVER(name, To, From, convert)                                 \
    static inline void name(char *to, int64_t to_step, const char *from,       \
                            int64_t from_step, int64_t n)                      \
    {                                                                          \
        int64_t i;                                                             \
                                                                               \
        if (to_step == (int64_t)sizeof(To) &&                                  \
            from_step == (int64_t)sizeof(From)) {                              \
            for (i = 0; i < n; i++)                                            \
                ((To *)to)[i] = convert(((const From *)from)[i]);              \
        } else if (to_step == (int64_t)sizeof(To) && from_step == 0) {         \
            To all = convert(*(const From *)from);                             \
                                                                               \
            for (i = 0; i < n; i++)                                            \
                ((To *)to)[i] = all;                                           \
        } else {                                                               \
            for (i = 0; i < n; i++)                                            \
                *(To *)(to + i * to_step) =                                    \
                    convert(*(const From *)(from + i * from_step));            \
        }                                                                      \
    }

/* A dtype's element type, how one becomes a number, and how it is made of a
 * float, a double or an int64.
 */
#define OSW_RUN_DTYPE(dtype, E, get, of_f, of_d, of_i)                         \
    OSW_RUN_MOVER(osw_run_##dtype##_to_f, float, E, (float)get)                \
    OSW_RUN_MOVER(osw_run_##dtype##_to_d, double, E, (double)get)              \
    OSW_RUN_MOVER(osw_run_##dtype##_to_i, int64_t, E, (int64_t)get)            \
    OSW_RUN_MOVER(osw_run_f_to_##dtype, E, float, (E)of_f)                     \
    OSW_RUN_MOVER(osw_run_d_to_##dtype, E, double, (E)of_d)                    \
    OSW_RUN_MOVER(osw_run_i_to_##dtype, E, int64_t, (E)of_i)

#define OSW_RUN_SELF(v)       (v)
#define OSW_RUN_TRUNC(v)      osw_f64_to_int(v)
#define OSW_RUN_TRUTH(v)      ((v) != 0)
#define OSW_RUN_ODD_F16(v)    osw_f32_to_f16(osw_f64_to_f32_odd(v))
#define OSW_RUN_ODD_BF16(v)   osw_f32_to_bf16(osw_f64_to_f32_odd(v))
#define OSW_RUN_FLOAT_F16(v)  osw_f32_to_f16((float)(v))
#define OSW_RUN_FLOAT_BF16(v) osw_f32_to_bf16((float)(v))

/* clang-format off */
OSW_RUN_DTYPE(f64, double, OSW_RUN_SELF, OSW_RUN_SELF, OSW_RUN_SELF, OSW_RUN_SELF)
OSW_RUN_DTYPE(f32, float, OSW_RUN_SELF, OSW_RUN_SELF, OSW_RUN_SELF, OSW_RUN_SELF)
OSW_RUN_DTYPE(f16, uint16_t, osw_f16_to_f32, osw_f32_to_f16, OSW_RUN_ODD_F16, OSW_RUN_FLOAT_F16)
OSW_RUN_DTYPE(bf16, uint16_t, osw_bf16_to_f32, osw_f32_to_bf16, OSW_RUN_ODD_BF16, OSW_RUN_FLOAT_BF16)
OSW_RUN_DTYPE(i64, int64_t, OSW_RUN_SELF, OSW_RUN_TRUNC, OSW_RUN_TRUNC, OSW_RUN_SELF)
OSW_RUN_DTYPE(i32, int32_t, OSW_RUN_SELF, OSW_RUN_TRUNC, OSW_RUN_TRUNC, OSW_RUN_SELF)
OSW_RUN_DTYPE(i16, int16_t, OSW_RUN_SELF, OSW_RUN_TRUNC, OSW_RUN_TRUNC, OSW_RUN_SELF)
OSW_RUN_DTYPE(i8, int8_t, OSW_RUN_SELF, OSW_RUN_TRUNC, OSW_RUN_TRUNC, OSW_RUN_SELF)
OSW_RUN_DTYPE(u8, uint8_t, OSW_RUN_SELF, OSW_RUN_TRUNC, OSW_RUN_TRUNC, OSW_RUN_SELF)
OSW_RUN_DTYPE(b8, uint8_t, OSW_RUN_TRUTH, OSW_RUN_TRUTH, OSW_RUN_TRUTH, OSW_RUN_TRUTH)
/* clang-format on */

/* Contiguous f16 goes through the vector conversions. */
static inline void osw_run_f16_to_f_fast(char *to, int64_t to_step,
                                         const char *from, int64_t from_step,
                                         int64_t n)
{
    if (to_step == 4 && from_step == 2)
        osw_convert_from_f16((const uint16_t *)from, n, (float *)to);
    else
        osw_run_f16_to_f(to, to_step, from, from_step, n);
}

static inline void osw_run_f_to_f16_fast(char *to, int64_t to_step,
                                         const char *from, int64_t from_step,
                                         int64_t n)
{
    if (to_step == 2 && from_step == 4)
        osw_convert_to_f16((const float *)from, n, (uint16_t *)to);
    else
        osw_run_f_to_f16(to, to_step, from, from_step, n);
}

struct osw_run_row {
    int code, bits;
    osw_run_mover *read[3], *write[3]; /* by enum osw_run_type */
};

#define OSW_RUN_ROW(code, bits, dtype)                                         \
    {                                                                          \
        code, bits,                                                            \
            {osw_run_##dtype##_to_f, osw_run_##dtype##_to_d,                   \
             osw_run_##dtype##_to_i},                                          \
        {                                                                      \
            osw_run_f_to_##dtype, osw_run_d_to_##dtype, osw_run_i_to_##dtype   \
        }                                                                      \
    }

/* The movers of a dtype; NULL for complex. */
static inline const struct osw_run_row *osw_run_row_of(osw_dtype t)
{
    static const struct osw_run_row rows[] = {
        {OSW_FLOAT,
         16,
         {osw_run_f16_to_f_fast, osw_run_f16_to_d, osw_run_f16_to_i},
         {osw_run_f_to_f16_fast, osw_run_d_to_f16, osw_run_i_to_f16}},
        OSW_RUN_ROW(OSW_FLOAT, 32, f32),
        OSW_RUN_ROW(OSW_FLOAT, 64, f64),
        OSW_RUN_ROW(OSW_BFLOAT, 16, bf16),
        OSW_RUN_ROW(OSW_INT, 64, i64),
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

/* A tensor seen in a loop's shape. */
struct osw_run_view {
    char *data;
    int32_t ndim;                 /* at least 1 */
    int64_t shape[OSW_RULE_DIMS]; /* elements */
    int64_t step[OSW_RULE_DIMS];  /* bytes; 0 repeats */
};

/* t, broadcast to shape [ndim], with neighbouring dimensions merged. */
static inline void osw_run_view_of(struct osw_run_view *v, const osw_tensor *t,
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

/* Is it one run of elements of `size` bytes without gaps? */
static inline int osw_run_is_flat(const struct osw_run_view *v, int64_t size)
{
    return v->ndim == 1 && (v->step[0] == size || v->shape[0] == 1);
}

/* Move n elements from the at-th on between the view and a buffer of elements
 * of `size` bytes: into the view where `writing`, else out of it.
 */
static inline void osw_run_move(const struct osw_run_view *v, int64_t at,
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

#endif /* OSW_LIBRARY_RUNS_H */

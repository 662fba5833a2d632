/* shared/plain.h - baselines: the loop that a user writes first
 *
 * An elementwise op gives its formula; the macros below make a loop of it for
 * every dtype: y[i] = formula of a = x0[i], b = x1[i], c = x2[i] and the
 * numbers d and e.  Floats of 16 and 32 bits are computed in float, f64 in
 * double, integers in int64.
 *
 * A file whose formula has other than two tensors says how many of the first
 * operands may be tensors, before it includes this: the others are numbers in
 * every loop, and there are fewer loops to compile.
 *
 * A loop runs over a row: over all elements (a thread's share of them) where
 * the tensors are contiguous and of one shape, else along the last dimension.
 * Operands of other dtypes than the arithmetic's are converted one by one.
 * There are no blocks, buffers, intrinsics or vector directives.
 */
#ifndef OSW_LIBRARY_PLAIN_H
#define OSW_LIBRARY_PLAIN_H

#include "rules.h"

/* Rows without gaps have loops of their own: GCC would make another of each
 * loop over gaps, for strides of 1, which takes a quarter of its time.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-version-loops-for-strides")
#endif

#include "apart.h"

#include <tgmath.h> /* exp() in a formula is expf() where it is in float */

#define OSW_PLAIN_PARALLEL 65536 /* fewer elements: one thread */

#ifndef OSW_PLAIN_OPERANDS
#define OSW_PLAIN_OPERANDS 2 /* the first ones, may be tensors: 1 to 3 */
#endif

static inline int osw_plain_threads(const osw_call *call, int64_t n)
{
    return n > OSW_PLAIN_PARALLEL ? (int)call->n_threads : 1;
}

/* --- dtypes: the element's type, its value, and an element of a value --- */

/* f16 to float and back without branches, so that loops of it vectorise.  The
 * exponent of a float is 112 larger; multiplying by 2^112 is exact for
 * subnormals too.  Infinities and NaN keep their exponent of ones.
 */
static inline float osw_plain_get_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, u = h & 0x7fffu;
    uint32_t special = 0u - (u >= 0x7c00u); /* all bits, or none */

    u = osw_f32_bits(osw_f32_from_bits(u << 13) * 0x1p112f);
    return osw_f32_from_bits(sign | (u + (special & 0x38000000u)));
}

/* Rounded to nearest even; 65520 and up are infinite.  Below 2^-14 the sum with
 * 1/2 rounds to units of 2^-24, as subnormals have to be.
 */
static inline uint16_t osw_plain_put_f16(float f)
{
    uint32_t u = osw_f32_bits(f) & 0x7fffffffu, small, normal;
    uint32_t sign = osw_f32_bits(f) >> 16 & 0x8000u;
    uint32_t nan = 0u - (u > 0x7f800000u), is_small;

    u = u < 0x477ff000u ? u : 0x477ff000u;
    is_small = 0u - (u < 0x38800000u);
    small = osw_f32_bits(osw_f32_from_bits(u) + 0.5f) - 0x3f000000u;
    normal = (u - 0x38000000u + 0xfffu + (u >> 13 & 1u)) >> 13;
    normal = (is_small & small) | (~is_small & normal);
    return (uint16_t)(sign | normal | (nan & 0x7e00u));
}

#define OSW_PLAIN_SAME(v)     (v)
#define OSW_PLAIN_TRUTH(v)    ((v) != 0)
#define OSW_PLAIN_PUT_F16(v)  osw_plain_put_f16((float)(v))
#define OSW_PLAIN_PUT_BF16(v) osw_f32_to_bf16((float)(v))

/* X(dtype, code, bits, E, get, put, ...) for every dtype of a kind */
#define OSW_PLAIN_16_AND_32(X, ...)                                            \
    X(f32, OSW_FLOAT, 32, float, OSW_PLAIN_SAME, (float), __VA_ARGS__)         \
    X(f16, OSW_FLOAT, 16, uint16_t, osw_plain_get_f16, OSW_PLAIN_PUT_F16,      \
      __VA_ARGS__)                                                             \
    X(bf16, OSW_BFLOAT, 16, uint16_t, osw_bf16_to_f32, OSW_PLAIN_PUT_BF16,     \
      __VA_ARGS__)
#define OSW_PLAIN_64(X, ...)                                                   \
    X(f64, OSW_FLOAT, 64, double, OSW_PLAIN_SAME, (double), __VA_ARGS__)
#define OSW_PLAIN_INTEGERS(X, ...)                                             \
    X(i64, OSW_INT, 64, int64_t, OSW_PLAIN_SAME, (int64_t), __VA_ARGS__)       \
    X(i32, OSW_INT, 32, int32_t, OSW_PLAIN_SAME, (int32_t), __VA_ARGS__)       \
    X(i16, OSW_INT, 16, int16_t, OSW_PLAIN_SAME, (int16_t), __VA_ARGS__)       \
    X(i8, OSW_INT, 8, int8_t, OSW_PLAIN_SAME, (int8_t), __VA_ARGS__)           \
    X(u8, OSW_UINT, 8, uint8_t, OSW_PLAIN_SAME, (uint8_t), __VA_ARGS__)        \
    X(b8, OSW_BOOL, 8, uint8_t, OSW_PLAIN_TRUTH, OSW_PLAIN_TRUTH, __VA_ARGS__)

/* --- a row --- */

struct osw_plain_x {
    const char *at; /* the first element; NULL: the number */
    int64_t step;   /* to the next, in elements; 0: one value for the row */
    osw_dtype dtype;
    double number;
    int64_t integer;
};

struct osw_plain_row {
    struct osw_plain_x x[OSW_RULE_OPERANDS]; /* a, b, c */
    struct osw_plain_x m;                    /* the mask of a masked op */
    char *y;
    int64_t y_step, n;
    osw_dtype common, dtype; /* of the arithmetic, of y */
};

typedef void osw_plain_loop(const struct osw_plain_row *r);

enum { OSW_PLAIN_A = 1, OSW_PLAIN_B = 2, OSW_PLAIN_C = 4, OSW_PLAIN_M = 8 };

/* Which operands have neighbours side by side, others being one value for the
 * row; -1 where an operand or the result has gaps.
 */
static inline int osw_plain_dense(const struct osw_plain_row *r)
{
    int dense = 0, i;

    for (i = 0; i < OSW_RULE_OPERANDS; i++) {
        if (r->x[i].step != 0 && r->x[i].step != 1)
            return -1;
        dense |= (int)r->x[i].step << i;
    }
    if ((r->m.step != 0 && r->m.step != 1) || r->y_step != 1)
        return -1;
    return dense | (r->m.step ? OSW_PLAIN_M : 0);
}

/* The i-th element of an operand of any dtype, rounded to the common one: the
 * type of the arithmetic is that, but for 16 bits.
 */
static inline double osw_plain_get(const struct osw_plain_row *r,
                                   const struct osw_plain_x *x, int64_t i)
{
    double v = x->number;

    if (x->at)
        v = osw_load(x->dtype, x->at + i * x->step * (x->dtype.bits / 8));
    if (x->at && r->common.bits == 16 && !osw_rule_same(x->dtype, r->common))
        v = osw_rule_round(r->common, v);
    return v;
}

static inline int64_t osw_plain_get_int(const struct osw_plain_x *x, int64_t i)
{
    if (!x->at)
        return x->integer;
    return osw_load_int(x->dtype, x->at + i * x->step * (x->dtype.bits / 8));
}

static inline void osw_plain_set(const struct osw_plain_row *r, int64_t i,
                                 double v)
{
    osw_store(r->dtype, r->y + i * r->y_step * (r->dtype.bits / 8), v);
}

/* Integers wrap around: the low bytes come first. */
static inline void osw_plain_set_int(const struct osw_plain_row *r, int64_t i,
                                     int64_t v)
{
    if (r->dtype.code == OSW_BOOL)
        v = v != 0;
    memcpy(r->y + i * r->y_step * (r->dtype.bits / 8), &v, r->dtype.bits / 8);
}

/* --- loops of a formula --- */

/* One element: operands that vary, by where they lie, and constants. */
#define OSW_PLAIN_ONE(T, get, a_is, b_is, c_is, m_is, at)                      \
    T a = a_is ? (T)get(xa[at(sa)]) : a0, b = b_is ? (T)get(xb[at(sb)]) : b0;  \
    T c = c_is ? (T)get(xc[at(sc)]) : c0;                                      \
    int m = m_is ? xm[at(sm)] != 0 : m0;                                       \
                                                                               \
    (void)a;                                                                   \
    (void)b;                                                                   \
    (void)c;                                                                   \
    (void)m;
#define OSW_PLAIN_DENSE_AT(step)   i
#define OSW_PLAIN_STRIDED_AT(step) i *step

#define OSW_PLAIN_CONSTANT(T, get, k, from, field)                             \
    r->x[k].at && !r->x[k].step ? (T)get(from[0]) : (T)r->x[k].field

/* Loops over dense operands, by which of them are not one value; the others go
 * with those that have gaps.
 */
#define OSW_PLAIN_CASE(T, get, put, formula, a_is, b_is, c_is, m_is)           \
    case a_is + b_is + c_is + m_is:                                            \
        for (i = 0; i < n; i++) {                                              \
            OSW_PLAIN_ONE(T, get, a_is, b_is, c_is, m_is, OSW_PLAIN_DENSE_AT)  \
            y[i] = put(formula);                                               \
        }                                                                      \
        break;
#ifdef OSW_PLAIN_MASKED /* an op with a mask says so before including this */
#define OSW_PLAIN_HAS_M 1
#if OSW_PLAIN_OPERANDS == 1
#define OSW_PLAIN_CASES(T, get, put, formula)                                  \
    OSW_PLAIN_CASE(T, get, put, formula, OSW_PLAIN_A, 0, 0, OSW_PLAIN_M)
#else
#define OSW_PLAIN_CASES(T, get, put, formula)                                  \
    OSW_PLAIN_CASE(T, get, put, formula, 0, OSW_PLAIN_B, 0, OSW_PLAIN_M)       \
    OSW_PLAIN_CASE(T, get, put, formula, 0, OSW_PLAIN_B, OSW_PLAIN_C,          \
                   OSW_PLAIN_M)
#endif
#else
#define OSW_PLAIN_HAS_M 0
#if OSW_PLAIN_OPERANDS == 1
#define OSW_PLAIN_CASES(T, get, put, formula)                                  \
    OSW_PLAIN_CASE(T, get, put, formula, OSW_PLAIN_A, 0, 0, 0)
#elif OSW_PLAIN_OPERANDS == 2
#define OSW_PLAIN_CASES(T, get, put, formula)                                  \
    OSW_PLAIN_CASE(T, get, put, formula, OSW_PLAIN_A, 0, 0, 0)                 \
    OSW_PLAIN_CASE(T, get, put, formula, OSW_PLAIN_A, OSW_PLAIN_B, 0, 0)
#else
#define OSW_PLAIN_CASES(T, get, put, formula)                                  \
    OSW_PLAIN_CASE(T, get, put, formula, OSW_PLAIN_A, OSW_PLAIN_B,             \
                   OSW_PLAIN_C, 0)
#endif
#endif
#define OSW_PLAIN_HAS_B (OSW_PLAIN_OPERANDS > 1)
#define OSW_PLAIN_HAS_C (OSW_PLAIN_OPERANDS > 2)

/* The loop of one dtype: E as stored, T of the arithmetic, Y of the result; get
 * and own make a T of an E and back.  Operands with gaps: those that are one
 * value are read like the others, so that there is one loop and not one for
 * each choice of them; a value that no E holds leaves the row to `any`.
 */
#define OSW_PLAIN_LOOP(name, any, E, T, get, own, field, Y, put, formula)      \
    static void name(const struct osw_plain_row *r)                            \
    {                                                                          \
        const E *xa = (const E *)(const void *)r->x[0].at;                     \
        const E *xb = (const E *)(const void *)r->x[1].at;                     \
        const E *xc = (const E *)(const void *)r->x[2].at;                     \
        const uint8_t *xm = (const uint8_t *)r->m.at;                          \
        const int64_t sa = r->x[0].step, sb = r->x[1].step;                    \
        const int64_t sc = r->x[2].step, sm = r->m.step, sy = r->y_step;       \
        const T a0 = OSW_PLAIN_CONSTANT(T, get, 0, xa, field);                 \
        const T b0 = OSW_PLAIN_CONSTANT(T, get, 1, xb, field);                 \
        const T c0 = OSW_PLAIN_CONSTANT(T, get, 2, xc, field);                 \
        const T d = (T)r->x[3].field, e = (T)r->x[4].field;                    \
        const int m0 = xm ? xm[0] != 0 : r->m.number != 0;                     \
        const int64_t n = r->n;                                                \
        const E ea = own(a0), eb = own(b0), ec = own(c0);                      \
        const uint8_t em = (uint8_t)m0;                                        \
        Y *y = (Y *)(void *)r->y;                                              \
        int64_t i;                                                             \
                                                                               \
        (void)d;                                                               \
        (void)e;                                                               \
        switch (osw_plain_dense(r)) {                                          \
            OSW_PLAIN_CASES(T, get, put, formula)                              \
        default:                                                               \
            if ((T)get(ea) != a0 || (OSW_PLAIN_HAS_B && (T)get(eb) != b0) ||   \
                (OSW_PLAIN_HAS_C && (T)get(ec) != c0)) {                       \
                any(r);                                                        \
                return;                                                        \
            }                                                                  \
            xa = sa ? xa : &ea;                                                \
            xb = sb ? xb : &eb;                                                \
            xc = sc ? xc : &ec;                                                \
            xm = sm ? xm : &em;                                                \
            for (i = 0; i < n; i++) {                                          \
                OSW_PLAIN_ONE(T, get, 1, OSW_PLAIN_HAS_B, OSW_PLAIN_HAS_C,     \
                              OSW_PLAIN_HAS_M, OSW_PLAIN_STRIDED_AT)           \
                y[i * sy] = put(formula);                                      \
            }                                                                  \
        }                                                                      \
    }

/* The same for operands of any dtypes, one by one. */
#define OSW_PLAIN_MIXED(name, T, GET, field, SET, formula)                     \
    static void name(const struct osw_plain_row *r)                            \
    {                                                                          \
        const T d = (T)r->x[3].field, e = (T)r->x[4].field;                    \
        int64_t i;                                                             \
                                                                               \
        (void)d;                                                               \
        (void)e;                                                               \
        for (i = 0; i < r->n; i++) {                                           \
            T a = (T)GET(0);                                                   \
            T b = OSW_PLAIN_HAS_B ? (T)GET(1) : (T)r->x[1].field;              \
            T c = OSW_PLAIN_HAS_C ? (T)GET(2) : (T)r->x[2].field;              \
            int m = OSW_PLAIN_HAS_M && osw_plain_get(r, &r->m, i) != 0;        \
                                                                               \
            (void)a;                                                           \
            (void)b;                                                           \
            (void)c;                                                           \
            (void)m;                                                           \
            SET(r, i, (T)(formula));                                           \
        }                                                                      \
    }
#define OSW_PLAIN_GET_REAL(k)       osw_plain_get(r, &r->x[k], i)
#define OSW_PLAIN_GET_INTEGER(k)    osw_plain_get_int(&r->x[k], i)
#define OSW_PLAIN_SET_REAL(r, i, v) osw_plain_set(r, i, (double)(v))

/* clang-format off */
#define OSW_PLAIN_IN_FLOAT(d, code, bits, E, get, put, name, ...)              \
    OSW_PLAIN_LOOP(name##_##d, name##_float, E, float, get, put, number, E, put, (__VA_ARGS__))
#define OSW_PLAIN_IN_DOUBLE(d, code, bits, E, get, put, name, ...)             \
    OSW_PLAIN_LOOP(name##_##d, name##_double, E, double, get, put, number, E, put, (__VA_ARGS__))
#define OSW_PLAIN_IN_INT(d, code, bits, E, get, put, name, ...)                \
    OSW_PLAIN_LOOP(name##_##d, name##_int, E, int64_t, get, put, integer, E, put, (__VA_ARGS__))
#define OSW_PLAIN_IF_FLOAT(d, code, bits, E, get, put, name, ...)              \
    OSW_PLAIN_LOOP(name##_##d, name##_float, E, float, get, put, number, uint8_t, (uint8_t), (__VA_ARGS__))
#define OSW_PLAIN_IF_DOUBLE(d, code, bits, E, get, put, name, ...)             \
    OSW_PLAIN_LOOP(name##_##d, name##_double, E, double, get, put, number, uint8_t, (uint8_t), (__VA_ARGS__))
#define OSW_PLAIN_IF_INT(d, code, bits, E, get, put, name, ...)                \
    OSW_PLAIN_LOOP(name##_##d, name##_int, E, int64_t, get, put, integer, uint8_t, (uint8_t), (__VA_ARGS__))
/* clang-format on */

/* Loops of one formula, and their table: by dtype, then the mixed ones. */
struct osw_plain_kind {
    struct {
        int code, bits;
        osw_plain_loop *loop;
    } same[8];
    osw_plain_loop *in_float, *in_double, *in_int;
};

#define OSW_PLAIN_ROW(d, code, bits, E, get, put, name)                        \
    {code, bits, name##_##d},

#define OSW_PLAIN_REALS_BY(name, in_float, in_double, formula)                 \
    OSW_PLAIN_MIXED(name##_float, float, OSW_PLAIN_GET_REAL, number,           \
                    OSW_PLAIN_SET_REAL, formula)                               \
    OSW_PLAIN_MIXED(name##_double, double, OSW_PLAIN_GET_REAL, number,         \
                    OSW_PLAIN_SET_REAL, formula)                               \
    OSW_PLAIN_16_AND_32(in_float, name, formula)                               \
    OSW_PLAIN_64(in_double, name, formula)                                     \
    static const struct osw_plain_kind name = {                                \
        {OSW_PLAIN_16_AND_32(OSW_PLAIN_ROW, name)                              \
             OSW_PLAIN_64(OSW_PLAIN_ROW, name)},                               \
        name##_float,                                                          \
        name##_double,                                                         \
        NULL};
#define OSW_PLAIN_INTS_BY(name, in_int, formula)                               \
    OSW_PLAIN_MIXED(name##_int, int64_t, OSW_PLAIN_GET_INTEGER, integer,       \
                    osw_plain_set_int, formula)                                \
    OSW_PLAIN_INTEGERS(in_int, name, formula)                                  \
    static const struct osw_plain_kind name = {                                \
        {OSW_PLAIN_INTEGERS(OSW_PLAIN_ROW, name)}, NULL, NULL, name##_int};

/* What an op's file says: formulas on floats, on integers and bool, and those
 * of comparisons, whose result is a bool.
 */
#define OSW_PLAIN_FLOATS(name, formula)                                        \
    OSW_PLAIN_REALS_BY(name, OSW_PLAIN_IN_FLOAT, OSW_PLAIN_IN_DOUBLE, formula)
#define OSW_PLAIN_INTS(name, formula)                                          \
    OSW_PLAIN_INTS_BY(name, OSW_PLAIN_IN_INT, formula)
#define OSW_PLAIN_IF_FLOATS(name, formula)                                     \
    OSW_PLAIN_REALS_BY(name, OSW_PLAIN_IF_FLOAT, OSW_PLAIN_IF_DOUBLE, formula)
#define OSW_PLAIN_IF_INTS(name, formula)                                       \
    OSW_PLAIN_INTS_BY(name, OSW_PLAIN_IF_INT, formula)

/* A constant of the type of v: of float, so that the arithmetic is. */
#define OSW_PLAIN_AS(v, constant) ((__typeof__(v))(constant))

/* --- running them --- */

enum { OSW_PLAIN_NO_MASK = -1 };

/* What runs the loops that the output's dtype and the operands ask for: floats
 * or ints may be NULL where the op has none.  Of the operands the first
 * `n_tensors` and the mask may be tensors.
 */
OSW_APART_CALL int osw_plain_run_tensors(const osw_call *call,
                                         const struct osw_rule *rule,
                                         int n_tensors, int mask,
                                         const struct osw_plain_kind *floats,
                                         const struct osw_plain_kind *ints);

/* What <op>_kernel_impl of a plain masked op does. */
static inline int osw_plain_run_masked(const osw_call *call,
                                       const struct osw_rule *rule, int mask,
                                       const struct osw_plain_kind *floats,
                                       const struct osw_plain_kind *ints)
{
    return osw_plain_run_tensors(call, rule, OSW_PLAIN_OPERANDS, mask, floats,
                                 ints);
}

static inline int osw_plain_run(const osw_call *call,
                                const struct osw_rule *rule,
                                const struct osw_plain_kind *floats,
                                const struct osw_plain_kind *ints)
{
    return osw_plain_run_masked(call, rule, OSW_PLAIN_NO_MASK, floats, ints);
}

#if OSW_APART_BODIES

struct osw_plain_job {
    const struct osw_rule *rule;
    struct osw_rule_plan plan;
    osw_tensor *out;
    osw_plain_loop *loop;
    int mask; /* the operand that is a mask */
};

/* A tensor without dimensions is a number, rounded to the common dtype. */
static inline void osw_plain_number(struct osw_rule_operand *x,
                                    osw_dtype common)
{
    const osw_tensor *t = x->tensor;

    x->number = osw_rule_round(common, osw_load(t->dtype, osw_data(t)));
    x->integer = osw_rule_wrap(common, osw_load_int(t->dtype, osw_data(t)));
    x->tensor = NULL;
}

/* Is every tensor of the dtype of the arithmetic, and a mask of one byte? */
static inline int osw_plain_is_same(const struct osw_plain_job *job)
{
    osw_dtype common = job->plan.common;
    int same = job->rule->result == OSW_RULE_BOOL ||
               osw_rule_same(job->out->dtype, common);
    int i;

    for (i = 0; i < job->rule->n; i++) {
        const osw_tensor *t = job->plan.x[i].tensor;

        if (t && i == job->mask)
            same &= osw_is(t, OSW_BOOL, 8) || osw_is(t, OSW_UINT, 8);
        else if (t)
            same &= osw_rule_same(t->dtype, common);
    }
    return same;
}

static inline osw_plain_loop *
osw_plain_find(const struct osw_plain_job *job,
               const struct osw_plain_kind *floats,
               const struct osw_plain_kind *ints)
{
    osw_dtype common = job->plan.common;
    int real = osw_rule_category(common) == 2;
    const struct osw_plain_kind *kind = real ? floats : ints;
    size_t i;

    if (!kind)
        return NULL;
    for (i = 0; osw_plain_is_same(job) && i < 8 && kind->same[i].loop; i++)
        if (kind->same[i].code == common.code &&
            kind->same[i].bits == common.bits)
            return kind->same[i].loop;
    if (!real)
        return kind->in_int;
    return common.bits == 64 ? kind->in_double : kind->in_float;
}

/* Is t contiguous and of the very shape of the output? */
static inline int osw_plain_is_whole(const struct osw_plain_job *job,
                                     const osw_tensor *t)
{
    return !t || (osw_is_contiguous(t) && osw_numel(t) == osw_numel(job->out));
}

/* What is the same in each row: all but where it lies, and how long it is. */
static inline void osw_plain_begin_row(const struct osw_plain_job *job,
                                       int whole, struct osw_plain_row *r)
{
    const osw_tensor *out = job->out;
    int i;

    memset(r, 0, sizeof(*r));
    for (i = 0; i < job->rule->n; i++) {
        const struct osw_rule_operand *from = &job->plan.x[i];
        struct osw_plain_x *x = i == job->mask ? &r->m : &r->x[i];
        const osw_tensor *t = from->tensor;

        x->dtype = t ? t->dtype : job->plan.common;
        x->number = from->number;
        x->integer = from->integer;
        if (t && whole)
            x->step = 1;
        else if (t && t->shape[t->ndim - 1] != 1)
            x->step = t->strides[t->ndim - 1];
    }
    r->y_step = whole || !out->ndim ? 1 : out->strides[out->ndim - 1];
    r->common = job->plan.common;
    r->dtype = out->dtype;
}

/* n elements from the `linear`-th on: within the last dimension, or anywhere
 * where the tensors are whole.
 */
static inline void osw_plain_run_row(const struct osw_plain_job *job,
                                     struct osw_plain_row *r, int64_t linear,
                                     int64_t n, int whole)
{
    const struct osw_rule_plan *plan = &job->plan;
    int i;

    for (i = 0; i < job->rule->n; i++) {
        const osw_tensor *t = plan->x[i].tensor;
        struct osw_plain_x *x = i == job->mask ? &r->m : &r->x[i];

        if (t && whole)
            x->at = (const char *)osw_at(t, linear);
        else if (t)
            x->at = (const char *)osw_at(
                t, osw_offset_in(t, plan->ndim, plan->shape, linear));
    }
    r->y =
        (char *)osw_at(job->out, whole ? linear : osw_offset(job->out, linear));
    r->n = n;
    job->loop(r);
}

static inline void osw_plain_run_rows(const osw_call *call,
                                      const struct osw_plain_job *job)
{
    int64_t total = osw_numel(job->out), i;
    int threads = osw_plain_threads(call, total);
    int whole = osw_is_contiguous(job->out);
    int64_t cols = job->out->ndim ? job->out->shape[job->out->ndim - 1] : 1;
    struct osw_plain_row row;

    for (i = 0; i < job->rule->n; i++)
        whole &= osw_plain_is_whole(job, job->plan.x[i].tensor);
    if (whole)
        cols = (total + threads - 1) / threads;
    osw_plain_begin_row(job, whole, &row);
#pragma omp parallel for firstprivate(row) num_threads(threads) if (threads > 1)
    for (i = 0; i < total; i += cols)
        osw_plain_run_row(job, &row, i, total - i < cols ? total - i : cols,
                          whole);
}

OSW_APART_CALL int osw_plain_run_tensors(const osw_call *call,
                                         const struct osw_rule *rule,
                                         int n_tensors, int mask,
                                         const struct osw_plain_kind *floats,
                                         const struct osw_plain_kind *ints)
{
    struct osw_plain_job job;
    int rc, i;

    job.rule = rule;
    job.mask = mask;
    job.out = osw_rule_declare(call, rule, &job.plan, &rc);
    if (!job.out)
        return rc;
    if (osw_numel(job.out) == 0)
        return 0;
    for (i = 0; i < rule->n; i++) {
        if (job.plan.x[i].tensor && job.plan.x[i].tensor->ndim == 0)
            osw_plain_number(&job.plan.x[i], job.plan.common);
        if (job.plan.x[i].tensor && i >= n_tensors && i != mask)
            return OSW_UNSUPPORTED;
    }
    job.loop = osw_plain_find(&job, floats, ints);
    if (!job.loop)
        return OSW_UNSUPPORTED;
    osw_plain_run_rows(call, &job);
    return 0;
}

#endif /* OSW_APART_BODIES */

#endif /* OSW_LIBRARY_PLAIN_H */

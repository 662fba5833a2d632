/* worker/judge/compare/compare.c - outputs against what they should be */
#include "worker/judge/compare/compare.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/compare/compare_value.h"
#include "worker/judge/memory/clones.h"
#include "worker/judge/memory/heartbeat.h"

enum {
    PREFIX = 8,  /* values that mostly show what does not pass */
    BLOCK = 256, /* values looked at together; complex counts twice */
    FEW = 32,    /* or, where there are no more, so many */
    MAX_ELEM_BYTES = 16,
};

#define EXPONENT UINT64_C(0x7ff0000000000000)
#define SIGN     UINT64_C(0x8000000000000000)

static double from_bits(uint64_t u)
{
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* --- reading blocks of elements in row-major order --- */

struct reader {
    struct osw_walk walk;
    const char *data;
    int64_t bytes; /* of an element */
    char gathered[BLOCK * MAX_ELEM_BYTES];
};

static void reader_start(struct reader *r, const struct osw_view *v)
{
    osw_walk_rows(&r->walk, v->desc);
    r->data = v->data;
    r->bytes = (int64_t)osw_view_elem_bytes(v);
}

static void gather(char *to, const char *from, int64_t step, int64_t n,
                   int64_t bytes)
{
    if (step == bytes)
        memcpy(to, from, (size_t)(n * bytes));
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * bytes, from + i * step, (size_t)bytes);
}

/* The next n elements side by side; they must be there.  In place if so. */
static const void *reader_next(struct reader *r, int64_t n)
{
    struct osw_run run;
    int64_t have = 0;

    while (have < n && osw_walk_next(&r->walk, n - have, &run)) {
        const char *from = r->data + run.offset * r->bytes;

        if (run.n == n && run.stride == 1)
            return from;
        gather(r->gathered + have * r->bytes, from, run.stride * r->bytes,
               run.n, r->bytes);
        have += run.n;
    }
    return r->gathered;
}

/* --- floating point, quickly --- */

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* Errors of a block; n_odd counts values that have to be looked at closer. */
struct glance {
    int64_t n_odd, n_norm;
    double max_abs, max_rel, max_ulp, max_norm, max_allowed;
    double sum_sq, sum_norm_sq, sum_want_sq;
};

/* Maxima are taken over the bits: errors are not negative, and there bits are
 * in the order of values.
 */
INLINE double largest(const uint64_t *bits, int n)
{
    uint64_t max = 0;

    for (int i = 0; i < n; i++)
        max = bits[i] > max ? bits[i] : max;
    return from_bits(max);
}

/* Upper halves are added to lower ones; each loop's length is a constant. */
#define ADD_HALF(half)                                                         \
    for (int i = 0; i < (half); i++)                                           \
    v[i] += v[i + (half)]

INLINE double sum_up(double *v, int n)
{
    if (n == BLOCK) {
        ADD_HALF(128);
        ADD_HALF(64);
        ADD_HALF(32);
    }
    ADD_HALF(16);
    ADD_HALF(8);
    ADD_HALF(4);
    ADD_HALF(2);
    return v[0] + v[1];
}

_Static_assert((int)BLOCK == 256 && (int)FEW == 32, "see sum_up");

/* Errors, given by their bits, held against norms. */
INLINE void look_norms(const struct osw_value_rule *f,
                       const uint64_t *restrict abs_bits,
                       const double *restrict want, const double *restrict norm,
                       int n, struct glance *out)
{
    double error_sq[BLOCK], want_sq[BLOCK];
    const double min_normal = f->min_normal;
    uint64_t bits[BLOCK];
    int64_t n_norm = 0;

    for (int i = 0; i < n; i++) {
        int64_t counts = norm[i] > 0;
        double amount = norm[i] > min_normal ? norm[i] : min_normal;
        double error = counts ? from_bits(abs_bits[i]) / amount : 0;
        double value = counts ? want[i] / amount : 0;

        n_norm += counts;
        bits[i] = osw_f64_bits(error);
        error_sq[i] = error * error;
        want_sq[i] = value * value;
    }
    out->n_norm = n_norm;
    out->max_norm = largest(bits, n);
    out->sum_norm_sq = sum_up(error_sq, n);
    out->sum_want_sq = sum_up(want_sq, n);
}

/* Plain loops of constant length become vectors: n is BLOCK, or FEW. */
INLINE void look(const struct osw_value_rule *f, const double *restrict got,
                 const double *restrict want, const double *restrict norm,
                 int n, struct glance *out)
{
    const double rtol = f->rtol, atol = f->atol, ntol = f->ntol;
    const double min_normal = f->min_normal, fraction = f->fraction;
    const double tiny = f->tiny;
    const int64_t signs = f->signed_zero;
    uint64_t abs_bits[BLOCK], rel_bits[BLOCK], ulp_bits[BLOCK];
    uint64_t part_bits[BLOCK];
    double square[BLOCK];
    int64_t n_odd = 0;

    for (int i = 0; i < n; i++) {
        double size = fabs(want[i]), off = fabs(got[i] - want[i]);
        double at_least = size > min_normal ? size : min_normal;
        uint64_t exponent = osw_f64_bits(at_least) & EXPONENT;
        double ulp =
            off * from_bits((UINT64_C(2046) << 52) - exponent) * fraction;
        double rel = size > 0 ? off / size : 0;
        double amount = norm && norm[i] > 0 ? norm[i] : 0;
        double tolerance = atol + rtol * size;
        double allowed = norm ? tolerance + ntol * amount : tolerance;
        double part = off > 0 ? off / allowed : 0;
        int64_t near = off <= allowed;
        int64_t same = ulp < 0.5;
        int64_t normal = (size < OSW_VALUE_HUGE) & (amount < OSW_VALUE_HUGE);
        int64_t strict = (size < tiny) & (off > 0);
        int64_t other_zero =
            signs & (got[i] == 0) &
            ((int64_t)((osw_f64_bits(got[i]) ^ osw_f64_bits(want[i])) >> 63));

        n_odd += 1 - ((near | same) & normal & ~strict & ~other_zero);
        abs_bits[i] = osw_f64_bits(off);
        rel_bits[i] = osw_f64_bits(rel);
        ulp_bits[i] = osw_f64_bits(ulp);
        part_bits[i] = osw_f64_bits(same && part > 1 ? 1 : part);
        square[i] = off * off;
    }
    out->n_odd = n_odd;
    out->max_abs = largest(abs_bits, n);
    out->max_rel = largest(rel_bits, n);
    out->max_ulp = largest(ulp_bits, n);
    out->max_allowed = largest(part_bits, n);
    out->sum_sq = sum_up(square, n);
    if (norm)
        look_norms(f, abs_bits, want, norm, n, out);
}

/* norm NULL: there are none. */
OSW_CLONES
static void glance(const struct osw_value_rule *f, const double *restrict got,
                   const double *restrict want, const double *restrict norm,
                   int n, struct glance *out)
{
    if (norm && n == FEW)
        look(f, got, want, norm, FEW, out);
    else if (norm)
        look(f, got, want, norm, BLOCK, out);
    else if (n == FEW)
        look(f, got, want, NULL, FEW, out);
    else
        look(f, got, want, NULL, BLOCK, out);
}

/* --- one value, exactly --- */

static void raise_to(double *max, double value)
{
    *max = value > *max ? value : *max;
}

static void take_error(const struct osw_value_rule *f, double err, double want,
                       double norm, struct osw_errors *out)
{
    raise_to(&out->max_abs, err);
    raise_to(&out->max_ulp, osw_value_ulps(f, err, want));
    raise_to(&out->max_rel, osw_value_rel(err, want));
    out->sum_sq += err * err;
    if (norm > 0 && !isinf(want)) {
        out->n_norm++;
        raise_to(&out->max_norm, err / norm);
        out->sum_norm_sq += err / norm * (err / norm);
        out->sum_want_sq += want / norm * (want / norm);
    }
}

static int judge_value(const struct osw_value_rule *f, double got, double want,
                       double size, double norm, struct osw_errors *out)
{
    double err, amount = osw_value_norm(f, norm);
    int verdict = osw_value_judge(f, got, want, size, amount, &err);
    double part;

    if (err < 0)
        return verdict;
    take_error(f, err, want, amount, out);
    part = err > 0 ? err / osw_value_tolerance(f, size, amount) : 0;
    if (verdict == OSW_VALUE_GOOD)
        part = fmin(part, 1);
    raise_to(&out->max_allowed, part);
    return verdict;
}

/* --- blocks --- */

struct job {
    const struct osw_dtype_info *dtype;
    const struct osw_expected *want;
    enum osw_dtype_id part; /* what a value is stored as */
    struct osw_value_rule rule;
    int parts; /* values in an element: 2 for complex */
    struct reader got_reader, want_reader;
};

static void mark_bad(struct osw_errors *out, int64_t index, bool nan)
{
    out->n_bad++;
    out->n_nan += nan;
    if (out->first_bad < 0)
        out->first_bad = index;
}

/* norm NULL: there are none. */
static void judge_closer(const struct job *job, const double *got,
                         const double *want, const double *norm, int64_t index,
                         int64_t n, struct osw_errors *out)
{
    for (int64_t i = 0; i < n; i++) {
        int worst = OSW_VALUE_GOOD;

        for (int k = 0; k < job->parts; k++) {
            int64_t at = i * job->parts + k;
            double size = osw_value_size(want + i * job->parts, job->parts, k);
            int verdict = judge_value(&job->rule, got[at], want[at], size,
                                      norm ? norm[at] : 0, out);

            worst = verdict > worst ? verdict : worst;
        }
        if (worst != OSW_VALUE_GOOD)
            mark_bad(out, index + i, worst == OSW_VALUE_NAN);
    }
}

static void take_glance(const struct glance *g, struct osw_errors *out)
{
    raise_to(&out->max_abs, g->max_abs);
    raise_to(&out->max_rel, g->max_rel);
    raise_to(&out->max_ulp, g->max_ulp);
    raise_to(&out->max_allowed, g->max_allowed);
    raise_to(&out->max_norm, g->max_norm);
    out->n_norm += g->n_norm;
    out->sum_sq += g->sum_sq;
    out->sum_norm_sq += g->sum_norm_sq;
    out->sum_want_sq += g->sum_want_sq;
}

/* values[n] from `all`, in place or in a block of `size` that ends with zeros.
 */
static const double *block_of(const double *all, int64_t n, int size,
                              double *block)
{
    if (n == size)
        return all;
    memcpy(block, all, (size_t)n * sizeof(*block));
    memset(block + n, 0, (size_t)(size - n) * sizeof(*block));
    return block;
}

/* n elements from `index` on, floating or complex. */
static void judge_floats(struct job *job, int64_t index, int64_t n,
                         struct osw_errors *out)
{
    double got[BLOCK], want[BLOCK], norms[BLOCK];
    const double *expected = want, *norm = NULL;
    int64_t values = n * job->parts;
    int size = values <= FEW ? FEW : BLOCK;
    struct glance g = {0};

    osw_view_load(job->part, reader_next(&job->got_reader, n), 1, values, got);
    for (int64_t i = values; i < size; i++) /* nothing to see there */
        got[i] = want[i] = 0;
    if (!job->want->exact) {
        osw_view_load(job->part, reader_next(&job->want_reader, n), 1, values,
                      want);
    } else {
        expected = block_of(job->want->exact + index, n, size, want);
        if (job->want->norm)
            norm = block_of(job->want->norm + index, n, size, norms);
    }
    glance(&job->rule, got, expected, norm, size, &g);
    if (g.n_odd == 0)
        take_glance(&g, out);
    else
        judge_closer(job, got, expected, norm, index, n, out);
}

/* n elements from `index` on, integers or bool. */
static void judge_integers(struct job *job, int64_t index, int64_t n,
                           struct osw_errors *out)
{
    size_t bytes = job->dtype->bytes;
    const char *got = reader_next(&job->got_reader, n), *want = NULL;

    if (!job->want->exact) {
        want = reader_next(&job->want_reader, n);
        if (memcmp(got, want, (size_t)n * bytes) == 0)
            return;
    }
    for (size_t i = 0; i < (size_t)n; i++) {
        struct osw_value_integer v;

        osw_value_judge_integer(&job->rule, job->dtype->dl, got + i * bytes,
                                want ? want + i * bytes : NULL,
                                want ? 0 : job->want->exact[index + (int64_t)i],
                                &v);
        if (v.verdict != OSW_VALUE_GOOD)
            mark_bad(out, index + (int64_t)i, false);
        raise_to(&out->max_abs, v.err);
        raise_to(&out->max_ulp, v.err);
        raise_to(&out->max_rel, v.rel);
        raise_to(&out->max_allowed, v.part);
        out->sum_sq += v.err * v.err;
    }
}

/* --- whole tensors --- */

/* Of floating dtypes; of the components of complex ones; integers have none. */
/* clang-format off */
static const struct { double min_normal, fraction; enum osw_dtype_id dtype; }
formats[] = {
    [OSW_F64]  = {0x1p-1022, 0x1p52, OSW_F64},
    [OSW_F32]  = {0x1p-126,  0x1p23, OSW_F32},
    [OSW_F16]  = {0x1p-14,   0x1p10, OSW_F16},
    [OSW_BF16] = {0x1p-126,  0x1p7,  OSW_BF16},
    [OSW_C128] = {0x1p-1022, 0x1p52, OSW_F64},
    [OSW_C64]  = {0x1p-126,  0x1p23, OSW_F32},
    [OSW_C32]  = {0x1p-14,   0x1p10, OSW_F16},
    [OSW_I64]  = {0,         0,      OSW_I64},
    [OSW_I32]  = {0,         0,      OSW_I32},
    [OSW_I16]  = {0,         0,      OSW_I16},
    [OSW_I8]   = {0,         0,      OSW_I8},
    [OSW_U8]   = {0,         0,      OSW_U8},
    [OSW_B8]   = {0,         0,      OSW_B8},
};
/* clang-format on */

/* Finite, so that no difference from an infinity is within tolerance. */
static double at_most(double tolerance, double limit)
{
    return tolerance > 0 ? fmin(tolerance, limit) : 0;
}

struct osw_value_rule osw_compare_rule(enum osw_dtype_id dtype,
                                       const struct osw_accept *accept)
{
    struct osw_value_rule r = {
        .dl = osw_dtype_info((int)formats[dtype].dtype)->dl,
        .min_normal = formats[dtype].min_normal,
        .fraction = formats[dtype].fraction,
        .signed_zero = accept->signed_zero};

    if (accept->exact)
        return r;
    r.rtol = at_most(accept->rtol, 0x1p20);
    r.atol = at_most(accept->atol, 0x1p1020);
    r.ntol = at_most(accept->ntol, 0x1p20);
    r.tiny = accept->keep_tiny ? OSW_VALUE_TINY : 0;
    return r;
}

static void compare(const struct osw_view *got, const struct osw_expected *want,
                    const struct osw_accept *accept, bool stop,
                    struct osw_errors *out)
{
    int64_t numel = osw_view_numel(got), step, index = 0, n;
    struct job job; /* large: nothing is cleared that is not read */
    bool whole;

    job.dtype = osw_dtype_info((int)got->desc->dtype);
    job.want = want;
    job.parts = job.dtype->class == OSW_CLASS_COMPLEX ? 2 : 1;
    whole =
        job.dtype->class == OSW_CLASS_INT || job.dtype->class == OSW_CLASS_BOOL;
    assert(want->exact ? job.dtype->class != OSW_CLASS_COMPLEX
                       : osw_view_numel(&want->view) == numel &&
                             want->view.desc->dtype == got->desc->dtype);
    *out = (struct osw_errors){.n_elem = numel, .first_bad = -1};
    job.part = formats[job.dtype->id].dtype;
    job.rule = osw_compare_rule(job.dtype->id, accept);
    reader_start(&job.got_reader, got);
    if (!want->exact)
        reader_start(&job.want_reader, &want->view);
    step = BLOCK / job.parts;
    for (; index < numel && !(stop && out->n_bad > 0); index += n) {
        int64_t most = stop && index == 0 ? PREFIX : step;

        n = numel - index < most ? numel - index : most;
        if (whole)
            judge_integers(&job, index, n, out);
        else
            judge_floats(&job, index, n, out);
        osw_heartbeat(n);
    }
}

void osw_compare(const struct osw_view *got, const struct osw_expected *want,
                 const struct osw_accept *accept, struct osw_errors *out)
{
    compare(got, want, accept, false, out);
}

bool osw_compare_passes(const struct osw_view *got,
                        const struct osw_expected *want,
                        const struct osw_accept *accept)
{
    struct osw_errors errors;

    compare(got, want, accept, true, &errors);
    return errors.n_bad == 0;
}

/* --- single elements --- */

static const void *element_at(const struct osw_view *v, int64_t index)
{
    return (const char *)v->data +
           osw_view_offset(v->desc, index) *
               (int64_t)osw_dtype_info((int)v->desc->dtype)->bytes;
}

/* Its parts: one, or two of a complex number. */
static int load_element(const struct osw_view *v, int64_t index, double part[2])
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)v->desc->dtype);
    const void *p = element_at(v, index);

    switch (dtype->class) {
    case OSW_CLASS_INT:
    case OSW_CLASS_BOOL:
        part[0] = (double)osw_value_stored(dtype->dl, p);
        break;
    case OSW_CLASS_COMPLEX:
        osw_view_load(formats[dtype->id].dtype, p, 1, 2, part);
        return 2;
    case OSW_CLASS_FLOAT:
        part[0] = osw_load(dtype->dl, p);
        break;
    }
    return 1;
}

static bool is_good(const struct osw_value_rule *rule, double got, double want)
{
    double err;

    return osw_value_judge(rule, got, want, fabs(want), 0, &err) ==
           OSW_VALUE_GOOD;
}

int64_t osw_compare_neither(const struct osw_view *got, const double *exact,
                            const struct osw_view *own,
                            const struct osw_accept *accept)
{
    struct osw_value_rule rule = osw_compare_rule(got->desc->dtype, accept);
    int64_t numel = osw_view_numel(got), n_bad = 0;
    double g[2], w[2];

    for (int64_t i = 0; i < numel; i++) {
        load_element(got, i, g);
        if (is_good(&rule, g[0], exact[i]))
            continue;
        load_element(own, i, w);
        n_bad += !is_good(&rule, g[0], w[0]);
    }
    osw_heartbeat(numel);
    return n_bad;
}

/* --- words --- */

static void print_element(const struct osw_view *v, int64_t index, char *to,
                          size_t size)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)v->desc->dtype);
    double part[2];

    if (dtype->class == OSW_CLASS_INT || dtype->class == OSW_CLASS_BOOL)
        snprintf(to, size, "%lld",
                 (long long)osw_value_stored(dtype->dl, element_at(v, index)));
    else if (load_element(v, index, part) == 2)
        snprintf(to, size, "(%.9g, %.9g)", part[0], part[1]);
    else
        snprintf(to, size, "%.9g", part[0]);
}

/* Does a bool hold another byte than 0 and 1? */
static bool is_no_bool(const struct osw_view *v, int64_t index)
{
    return v->desc->dtype == OSW_B8 &&
           *(const unsigned char *)element_at(v, index) > 1;
}

void osw_compare_describe(const struct osw_view *got,
                          const struct osw_expected *want, int64_t index,
                          char *words, size_t size)
{
    bool no_bool = is_no_bool(got, index);
    char g[64], w[64];

    print_element(got, index, g, sizeof(g));
    if (want->exact)
        snprintf(w, sizeof(w), "%.9g", want->exact[index]);
    else
        print_element(&want->view, index, w, sizeof(w));
    snprintf(words, size, "got %s, expected %s%s", g, w,
             no_bool ? " (a bool is stored as 0 or 1)" : "");
}

bool osw_compare_is_near(const struct osw_view *got,
                         const struct osw_expected *want, int64_t index)
{
    double g[2], w[2];
    int n = load_element(got, index, g);

    if (want->exact)
        w[0] = want->exact[index];
    else if (load_element(&want->view, index, w) != n)
        return false;
    for (int i = 0; i < n; i++)
        if (!(g[i] == w[i] || fabs(g[i] - w[i]) <= fabs(w[i]) / 128))
            return false;
    return true;
}

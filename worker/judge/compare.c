/* worker/judge/compare.c - outputs against what they should be */
#include "worker/judge/compare.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/clones.h"

enum {
    BLOCK = 256, /* values looked at together; complex counts twice */
    MAX_ELEM_BYTES = 16,
};

#define EXPONENT UINT64_C(0x7ff0000000000000)
#define SIGN     UINT64_C(0x8000000000000000)

/* Past it, reciprocals of exponents leave the normal range. */
#define HUGE_WANT 0x1p1000

static double from_bits(uint64_t u)
{
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* What the arithmetic needs to know of a floating dtype. */
struct format {
    enum osw_dtype_id dtype;
    osw_dtype dl;
    double min_normal; /* below it, the last place stays the same */
    double fraction;   /* 2^(precision - 1) */
    double rtol, atol;
};

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

/* Errors of a block; n_odd counts values that have to be looked at closer. */
struct glance {
    int64_t n_odd;
    double max_abs, max_rel, max_ulp, sum_sq;
};

/* Maxima are taken over the bits: errors are not negative, and there bits are
 * in the order of values.  Plain loops of constant length become vectors.
 */
OSW_CLONES
static void glance(const struct format *f, const double *restrict got,
                   const double *restrict want, struct glance *out)
{
    const double rtol = f->rtol, atol = f->atol, fraction = f->fraction;
    const double min_normal = f->min_normal;
    uint64_t abs_bits[BLOCK], rel_bits[BLOCK], ulp_bits[BLOCK];
    double square[BLOCK];
    int64_t n_odd = 0;
    uint64_t max_abs = 0, max_rel = 0, max_ulp = 0;

    for (int i = 0; i < BLOCK; i++) {
        double size = fabs(want[i]), err = fabs(got[i] - want[i]);
        double at_least = size > min_normal ? size : min_normal;
        uint64_t exponent = osw_f64_bits(at_least) & EXPONENT;
        double ulp =
            err * from_bits((UINT64_C(2046) << 52) - exponent) * fraction;
        double rel = size > 0 ? err / size : 0;
        int64_t near = err <= atol + rtol * size;
        int64_t same = ulp < 0.5, normal = size < HUGE_WANT;

        n_odd += 1 - ((near | same) & normal);
        abs_bits[i] = osw_f64_bits(err);
        rel_bits[i] = osw_f64_bits(rel);
        ulp_bits[i] = osw_f64_bits(ulp);
        square[i] = err * err;
    }
    for (int i = 0; i < BLOCK; i++) {
        max_abs = abs_bits[i] > max_abs ? abs_bits[i] : max_abs;
        max_rel = rel_bits[i] > max_rel ? rel_bits[i] : max_rel;
        max_ulp = ulp_bits[i] > max_ulp ? ulp_bits[i] : max_ulp;
    }
    for (int half = BLOCK / 2; half >= 1; half /= 2)
        for (int i = 0; i < half; i++)
            square[i] += square[i + half];
    out->n_odd = n_odd;
    out->max_abs = from_bits(max_abs);
    out->max_rel = from_bits(max_rel);
    out->max_ulp = from_bits(max_ulp);
    out->sum_sq = square[0];
}

/* --- one value, exactly --- */

enum odd { GOOD, BAD, BAD_NAN };

static double ulps(const struct format *f, double err, double want)
{
    double size = fabs(want);
    int exponent = ilogb(size > f->min_normal ? size : f->min_normal);

    return ldexp(err, -exponent) * f->fraction;
}

static void take_error(const struct format *f, double err, double want,
                       struct osw_errors *out)
{
    double size = fabs(want), ulp = ulps(f, err, want);

    out->max_abs = err > out->max_abs ? err : out->max_abs;
    out->max_ulp = ulp > out->max_ulp ? ulp : out->max_ulp;
    if (size > 0 && err / size > out->max_rel)
        out->max_rel = err / size;
    out->sum_sq += err * err;
}

static enum odd judge_value(const struct format *f, double got, double want,
                            struct osw_errors *out)
{
    unsigned char stored[MAX_ELEM_BYTES] = {0};
    double rounded, err;

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? GOOD : BAD_NAN;
    osw_store(f->dl, stored, want);
    rounded = osw_load(f->dl, stored);
    if (isinf(want)) {
        if (got == want)
            return GOOD;
        take_error(f, INFINITY, 1, out);
        return BAD;
    }
    if (isinf(got) && got == rounded)
        return GOOD;
    err = fabs(got - want);
    take_error(f, err, want, out);
    if (got == rounded ||
        (isfinite(got) && err <= f->atol + f->rtol * fabs(want)))
        return GOOD;
    return BAD;
}

/* --- blocks --- */

struct job {
    const struct osw_dtype_info *dtype;
    const struct osw_expected *want;
    struct format format;
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

static void judge_closer(const struct job *job, const double *got,
                         const double *want, int64_t index, int64_t n,
                         struct osw_errors *out)
{
    for (int64_t i = 0; i < n; i++) {
        enum odd worst = GOOD;

        for (int k = 0; k < job->parts; k++) {
            int64_t at = i * job->parts + k;
            enum odd odd = judge_value(&job->format, got[at], want[at], out);

            worst = odd > worst ? odd : worst;
        }
        if (worst != GOOD)
            mark_bad(out, index + i, worst == BAD_NAN);
    }
}

static void take_glance(const struct glance *g, struct osw_errors *out)
{
    out->max_abs = g->max_abs > out->max_abs ? g->max_abs : out->max_abs;
    out->max_rel = g->max_rel > out->max_rel ? g->max_rel : out->max_rel;
    out->max_ulp = g->max_ulp > out->max_ulp ? g->max_ulp : out->max_ulp;
    out->sum_sq += g->sum_sq;
}

/* n elements from `index` on, floating or complex. */
static void judge_floats(struct job *job, int64_t index, int64_t n,
                         struct osw_errors *out)
{
    double got[BLOCK], want[BLOCK];
    const double *expected = want;
    int64_t values = n * job->parts;
    struct glance g;

    osw_view_load(job->format.dtype, reader_next(&job->got_reader, n), 1,
                  values, got);
    if (!job->want->exact)
        osw_view_load(job->format.dtype, reader_next(&job->want_reader, n), 1,
                      values, want);
    else if (values == BLOCK)
        expected = job->want->exact + index;
    else
        memcpy(want, job->want->exact + index, (size_t)n * sizeof(*want));
    for (int64_t i = values; i < BLOCK; i++) /* nothing to see there */
        got[i] = want[i] = 0;
    glance(&job->format, got, expected, &g);
    if (g.n_odd == 0)
        take_glance(&g, out);
    else
        judge_closer(job, got, expected, index, n, out);
}

/* The integer that storing `want` would leave, if there is one. */
static bool to_integer(const struct osw_dtype_info *dtype, double want,
                       int64_t *out)
{
    unsigned char stored[MAX_ELEM_BYTES] = {0};

    if (!(want >= -0x1p63 && want < 0x1p63))
        return false;
    *out = (int64_t)want;
    memcpy(stored, out, 8); /* little endian: the low bytes */
    return osw_load_int(dtype->dl, stored) == *out;
}

static void judge_integer(int64_t got, bool possible, int64_t want,
                          int64_t index, struct osw_errors *out)
{
    uint64_t diff = got > want ? (uint64_t)got - (uint64_t)want
                               : (uint64_t)want - (uint64_t)got;
    double size = fabs((double)want), err = (double)diff;

    if (possible && diff == 0)
        return;
    mark_bad(out, index, false);
    if (!possible)
        err = INFINITY;
    out->max_abs = err > out->max_abs ? err : out->max_abs;
    out->max_ulp = out->max_abs;
    if (size > 0 && err / size > out->max_rel)
        out->max_rel = err / size;
    out->sum_sq += err * err;
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
    for (int64_t i = 0; i < n; i++) {
        int64_t g = osw_load_int(job->dtype->dl, got + i * (int64_t)bytes);
        int64_t w = 0;
        bool possible = true;

        if (want)
            w = osw_load_int(job->dtype->dl, want + i * (int64_t)bytes);
        else
            possible = to_integer(job->dtype, job->want->exact[index + i], &w);
        judge_integer(g, possible, w, index + i, out);
    }
}

/* --- whole tensors --- */

/* Of floating dtypes; of the components of complex ones. */
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
};
/* clang-format on */

static struct format format_of(const struct osw_dtype_info *dtype,
                               const struct osw_accept *accept)
{
    struct format f = {.dtype = formats[dtype->id].dtype,
                       .min_normal = formats[dtype->id].min_normal,
                       .fraction = formats[dtype->id].fraction};

    f.dl = osw_dtype_info((int)f.dtype)->dl;
    /* Finite, so that no difference from an infinity is within tolerance. */
    f.rtol = accept->rtol > 0 ? fmin(accept->rtol, 0x1p20) : 0;
    f.atol = accept->atol > 0 ? fmin(accept->atol, 0x1p1020) : 0;
    if (accept->exact)
        f.rtol = f.atol = 0;
    return f;
}

static void compare(const struct osw_view *got, const struct osw_expected *want,
                    const struct osw_accept *accept, bool stop,
                    struct osw_errors *out)
{
    struct job job = {.dtype = osw_dtype_info((int)got->desc->dtype),
                      .want = want};
    bool whole =
        job.dtype->class == OSW_CLASS_INT || job.dtype->class == OSW_CLASS_BOOL;
    int64_t numel = osw_view_numel(got), step, index = 0;

    assert(want->exact ? job.dtype->class != OSW_CLASS_COMPLEX
                       : osw_view_numel(&want->view) == numel &&
                             want->view.desc->dtype == got->desc->dtype);
    *out = (struct osw_errors){.n_elem = numel, .first_bad = -1};
    job.parts = job.dtype->class == OSW_CLASS_COMPLEX ? 2 : 1;
    if (!whole)
        job.format = format_of(job.dtype, accept);
    reader_start(&job.got_reader, got);
    if (!want->exact)
        reader_start(&job.want_reader, &want->view);
    step = BLOCK / job.parts;
    for (; index < numel && !(stop && out->n_bad > 0); index += step) {
        int64_t n = numel - index < step ? numel - index : step;

        if (whole)
            judge_integers(&job, index, n, out);
        else
            judge_floats(&job, index, n, out);
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

/* --- words --- */

static void print_element(const struct osw_view *v, int64_t index, char *to,
                          size_t size)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)v->desc->dtype);
    const char *p = (const char *)v->data +
                    osw_view_offset(v->desc, index) * (int64_t)dtype->bytes;
    double part[2];

    switch (dtype->class) {
    case OSW_CLASS_INT:
    case OSW_CLASS_BOOL:
        snprintf(to, size, "%lld", (long long)osw_load_int(dtype->dl, p));
        break;
    case OSW_CLASS_COMPLEX:
        osw_view_load(formats[dtype->id].dtype, p, 1, 2, part);
        snprintf(to, size, "(%.9g, %.9g)", part[0], part[1]);
        break;
    case OSW_CLASS_FLOAT:
        snprintf(to, size, "%.9g", osw_load(dtype->dl, p));
        break;
    }
}

void osw_compare_describe(const struct osw_view *got,
                          const struct osw_expected *want, int64_t index,
                          char *words, size_t size)
{
    char g[64], w[64];

    print_element(got, index, g, sizeof(g));
    if (want->exact)
        snprintf(w, sizeof(w), "%.9g", want->exact[index]);
    else
        print_element(&want->view, index, w, sizeof(w));
    snprintf(words, size, "got %s, expected %s", g, w);
}

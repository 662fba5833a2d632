/* worker/judge/compare/tolerance.c - which errors an output may have */
#include "worker/judge/compare/tolerance.h"

#include <math.h>

#include "worker/judge/eval/checks.h"

enum {
    LARGEST = 12,   /* times T: of one element among 10^9 */
    ESTIMATED = 18, /* the same where T itself is an estimate, off by half */
};

#define TWICE   2.25 /* unit roundoffs of an element that is rounded twice */
#define ROUNDED 0.6  /* rms of rounding errors, in unit roundoffs: 0.42 seen */
#define MEAN    4.0  /* largest error of a sum whose terms have a mean, in M */
#define FEW     3.0  /* deviations that the rms of few errors may be off by */
#define PASSED  4.0  /* unit roundoffs of values rounded on the way */
#define BESIDE  2.0  /* most of their norm, in sizes of what is near */
#define USUAL   0.75 /* rms of errors of sums, in A */
#define NORMAL  0.5  /* the same, where the reference gives norms */
#define CAP     0x1p-10 /* of the element and its neighbours */
#define UNITS   8.0     /* the same in unit roundoffs of the output */
#define TERMS   0x1p-4  /* the same, of the terms of an element that cancel */

/* Unit roundoff of what is stored, and of sums on the way there. */
/* clang-format off */
static const struct { double stored, sums; } units[] = {
    [OSW_F64]  = {0x1p-53, 0x1p-51}, /* the reference's sums are no better */
    [OSW_F32]  = {0x1p-24, 0x1p-24},
    [OSW_F16]  = {0x1p-11, 0x1p-24},
    [OSW_BF16] = {0x1p-8,  0x1p-24},
    [OSW_C128] = {0x1p-53, 0x1p-51},
    [OSW_C64]  = {0x1p-24, 0x1p-24},
    [OSW_C32]  = {0x1p-11, 0x1p-24},
};
/* clang-format on */

/* Sums of equal terms in a row go far in one direction, so what is rounded is
 * larger by the root of their number; and as long as the last place of the sum
 * stays, each of them is rounded by the same error.
 */
static double by_equal(const struct osw_tolerance_job *job)
{
    return fmax(fmin(job->equal, job->terms), 1);
}

/* 16-bit inputs are summed as f32, but for outputs of 64 bits. */
static bool is_short(const struct osw_tolerance_job *job)
{
    return job->short_inputs && units[job->dtype->id].sums >= 0x1p-24;
}

/* M of the rule: what sums of terms of one sign add, times the sum. */
static double mean_error(const struct osw_tolerance_job *job)
{
    double root = sqrt(job->terms);

    return job->centred ? 0
                        : units[job->dtype->id].sums *
                              (root + (is_short(job) ? job->terms / 128 : 0));
}

/* Equal ones among terms with a mean: all of a sum may be equal then. */
static double equal_error(const struct osw_tolerance_job *job)
{
    return job->centred || by_equal(job) <= 1
               ? 0
               : units[job->dtype->id].sums * sqrt(by_equal(job)) * job->terms /
                     2;
}

static double sums_error(const struct osw_tolerance_job *job)
{
    double root = sqrt(job->terms);
    /* Where all are equal, M is all that there is. */
    bool all = !job->centred && by_equal(job) >= job->terms;

    return (all ? 1 : by_equal(job)) *
           (is_short(job) ? 0x1p-23 * (root + job->terms / 24)
                          : units[job->dtype->id].sums * root);
}

/* The largest error of so many groups of equal terms, in what is usual. */
static double largest_of(double most, double root_of_groups)
{
    return fmin(fmax(root_of_groups, 2), most);
}

static struct osw_accept by_norm(const struct osw_tolerance_job *job)
{
    double u = units[job->dtype->id].stored;
    double sums = units[job->dtype->id].sums, q = by_equal(job);
    double largest =
        q > 1 ? largest_of(LARGEST, sqrt(job->terms / q)) : LARGEST;

    /* Only the last rounding is left, but for methods that divide or transform
     * (FFT): far less than a term of 1.
     */
    if (job->trial == OSW_TRIAL_INTEGERS)
        return (struct osw_accept){
            .rtol = 2 * u, .atol = 2 * sums, .ntol = 4 * sums};
    return (struct osw_accept){.rtol = TWICE * u + MEAN * mean_error(job),
                               .ntol = largest * sums_error(job) +
                                       equal_error(job)};
}

struct osw_tolerance osw_tolerance_named(const struct osw_tolerance_job *job)
{
    struct osw_tolerance own = job->op->tolerance[job->dtype->id];

    if (isnan(own.rtol) || job->trial == OSW_TRIAL_INTEGERS)
        return (struct osw_tolerance){NAN, NAN};
    return own;
}

/* By the norms, and by op.json where it says more. */
static struct osw_accept by_both(const struct osw_tolerance_job *job)
{
    struct osw_tolerance named = osw_tolerance_named(job);
    struct osw_accept accept = by_norm(job);

    accept.rtol = fmax(accept.rtol, named.rtol); /* NaN is no maximum */
    accept.atol = fmax(accept.atol, named.atol);
    return accept;
}

static struct osw_accept accept_values(const struct osw_tolerance_job *job)
{
    struct osw_tolerance own = osw_op_tolerance(job->op, job->dtype);
    struct osw_accept accept = {.rtol = own.rtol, .atol = own.atol};
    bool none = own.rtol == 0 && own.atol == 0;

    if (job->op->exact || (!osw_dtype_is_floating(job->dtype) && none))
        return (struct osw_accept){.exact = true};
    if (!osw_dtype_is_floating(job->dtype))
        return accept;
    accept.keep_tiny = job->special;
    return job->norms ? by_both(job) : accept;
}

struct osw_accept osw_tolerance_accept(const struct osw_tolerance_job *job)
{
    struct osw_accept accept = accept_values(job);

    accept.signed_zero = job->signed_zero;
    return accept;
}

double osw_tolerance_rms(const struct osw_errors *e)
{
    return e->n_norm ? sqrt(e->sum_norm_sq / (double)e->n_norm) : 0;
}

double osw_tolerance_usual(const struct osw_tolerance_job *job, double size)
{
    return hypot(
        hypot(sums_error(job), ROUNDED * units[job->dtype->id].stored * size),
        hypot(mean_error(job) * size, equal_error(job)));
}

double osw_tolerance_class(const struct osw_tolerance_job *job,
                           const struct osw_errors *e)
{
    if (!job->norms || job->op->exact || !osw_dtype_is_floating(job->dtype) ||
        e->n_norm == 0 || job->trial == OSW_TRIAL_INTEGERS ||
        !isnan(osw_tolerance_named(job).rtol) || !OSW_CHECKS(NORM_RMS))
        return 0;
    return osw_tolerance_usual(job, sqrt(e->sum_want_sq / (double)e->n_norm)) *
           osw_tolerance_few(job, e->n_norm);
}

/* --- by sensitivity --- */

/* Code that rounds an f32 input to the bf16 of another one, and hands over f32,
 * has lost what it was given.
 */
static double input_roundoff(const struct osw_tolerance_job *job, int bits)
{
    if (units[job->dtype->id].stored < ldexp(1, -bits) && job->finest > bits)
        bits = job->finest;
    return bits > 24 ? 0 : ldexp(1, -bits);
}

struct osw_tolerance_rounding
osw_tolerance_rounding(const struct osw_tolerance_job *job, int bits)
{
    return (struct osw_tolerance_rounding){
        .stored = units[job->dtype->id].stored,
        .sums = units[job->dtype->id].sums,
        .inputs = job->norms ? 0 : input_roundoff(job, bits),
        /* Elements of a constant are inputs of their own, and growth counts. */
        .equal = job->constant ? sqrt(by_equal(job)) : by_equal(job),
        .any_equal = by_equal(job) > 1,
        .constant = job->constant,
        .usual = job->norms ? NORMAL : USUAL,
        .short_inputs = is_short(job)};
}

struct osw_tolerance_sensitive
osw_tolerance_sensitive(const struct osw_tolerance_rounding *r, double want,
                        double around, double amount, double growth)
{
    double size = fabs(want), largest;
    double steps = r->short_inputs ? growth + growth * growth / 24 : growth;
    double sums = r->equal * r->sums * steps * hypot(amount, size);
    double near = fmax(size, around);
    double inputs = r->inputs * fmin(amount, near);
    double passed = r->inputs * fmin(amount, BESIDE * near);
    double stored = r->stored * size;
    double times = r->any_equal
                       ? largest_of(ESTIMATED, r->constant ? 1 : growth)
                       : ESTIMATED;
    struct osw_tolerance_sensitive t;

    largest = fmax(near, TERMS * amount) * fmax(CAP, UNITS * r->stored);
    t.usual = hypot(hypot(r->usual * sums, ROUNDED * inputs), ROUNDED * stored);
    t.most = times * sums + PASSED * passed + TWICE * stored;
    t.most = fmin(t.most, largest);
    return t;
}

double osw_tolerance_few(const struct osw_tolerance_job *job, int64_t n)
{
    return 1 + FEW / sqrt(fmax((double)n / job->repeats, 1));
}

/* worker/judge/compare/sensitivity.c - how sensitive output elements are to
 * rounding
 */
#include "worker/judge/compare/sensitivity.h"

#include <math.h>
#include <string.h>

#include "worker/judge/memory/heartbeat.h"

enum { POOL = OSW_SENSITIVITY_POOL };

/* rms of ulp(x) / |x| in units of 2^-bits: 2 sqrt(3 / (8 ln 2)) for mantissas
 * that are distributed like their logarithms.
 */
#define STEP 1.471

/* Differences below this part of the value are rounding errors of the
 * reference itself.
 */
#define NOISE 0x1p-48

/* Elements with a larger condition number have lost more than half of the
 * digits of float32; their results jump.
 */
#define STEEPEST 0x1p14

/* --- perturbing --- */

/* How a floating dtype, or the parts of a complex one, is stored. */
struct format {
    int bits;     /* of its significand, with the hidden one; 0: no float */
    size_t bytes; /* of a number */
    uint64_t infinity;
};

static struct format format_of(enum osw_dtype_id dtype)
{
    switch (dtype) {
    case OSW_F64:
    case OSW_C128:
        return (struct format){53, 8, UINT64_C(0x7ff0000000000000)};
    case OSW_F32:
    case OSW_C64:
        return (struct format){24, 4, 0x7f800000};
    case OSW_F16:
    case OSW_C32:
        return (struct format){11, 2, 0x7c00};
    case OSW_BF16:
        return (struct format){8, 2, 0x7f80};
    default:
        return (struct format){0, 1, 0};
    }
}

int osw_sensitivity_bits(int bits, enum osw_dtype_id dtype)
{
    const int most = 37;
    int own = format_of(dtype).bits;

    own = own > most ? most : own;
    return bits == 0 || (own > 0 && own < bits) ? own : bits;
}

/* SplitMix64: G. Steele et al., "Fast splittable pseudorandom number
 * generators", OOPSLA 2014.
 */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The number with these bits, `step` places further; the same where it is no
 * number, or would be none then.  `up` is random: no branch depends on it.
 */
static inline uint64_t moved(uint64_t bits, uint64_t infinity, uint64_t step,
                             bool up)
{
    uint64_t fraction = (infinity & -infinity) - 1;
    uint64_t size = bits & (infinity | fraction);
    uint64_t to = size + ((step ^ -(uint64_t)!up) + !up);
    uint64_t stays =
        -(uint64_t)(size - 1 >= infinity - 1 || to - 1 >= infinity - 1);

    return bits - size + ((size & stays) | (to & ~stays));
}

/* How one run moves the numbers of one tensor. */
struct push {
    uint64_t key, infinity, step, most, mask;
    bool backwards;
};

static inline uint64_t pushed(const struct push *p, uint64_t i, uint64_t bits)
{
    uint64_t random = mix(p->key + i);

    if ((random >> 1 & p->mask) != 0)
        return bits;
    return moved(bits, p->infinity, p->step * (1 + (random >> 40 & p->most)),
                 (random & 1) != p->backwards);
}

/* One loop for each width. */
#define PUSH_ALL(type)                                                         \
    static void push_all_##type(const struct push *p, type *data, uint64_t n)  \
    {                                                                          \
        for (uint64_t i = 0; i < n; i++)                                       \
            data[i] = (type)pushed(p, i, data[i]);                             \
    }
PUSH_ALL(uint16_t)
PUSH_ALL(uint32_t)
PUSH_ALL(uint64_t)

void osw_sensitivity_perturb(const struct osw_sensitivity_run *run, int bits,
                             enum osw_dtype_id dtype, uint32_t tensor,
                             void *data, uint64_t bytes)
{
    struct format f = format_of(dtype);
    uint64_t n = bytes / f.bytes;
    struct push p = {.key = mix(run->seed ^ mix(tensor + 1)),
                     .infinity = f.infinity,
                     .mask = (UINT64_C(1) << 2 * run->level) - 1,
                     .backwards = run->backwards};

    if (f.bits == 0)
        return;
    p.step = UINT64_C(1) << (f.bits > bits ? f.bits - bits : 0);
    /* Steps of one size could cancel in a sum, which would not react then. */
    p.most = run->level > 0 ? (UINT64_C(1) << bits / 3) - 1 : 0;
    if (f.bytes == 2)
        push_all_uint16_t(&p, data, n);
    else if (f.bytes == 4)
        push_all_uint32_t(&p, data, n);
    else
        push_all_uint64_t(&p, data, n);
    osw_heartbeat((int64_t)n);
}

/* --- what the runs say --- */

void osw_sensitivity_add_pair(const double *base, const double *plus,
                              const double *minus, int64_t n, double *sum_sq)
{
    for (int64_t i = 0; i < n; i++) {
        double p = plus[i] - base[i], m = minus[i] - base[i];
        double size = fabs(p) + fabs(m);

        if (size <= NOISE * fabs(base[i]))
            continue;
        sum_sq[i] += fabs(p + m) <= size / 2 ? p * p + m * m : NAN;
    }
    osw_heartbeat(n);
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

double osw_sensitivity_noise(const double *base, const double *again, int64_t n,
                             int bits)
{
    double noise = 0, largest = 0;

    for (int64_t i = 0; i < n; i++) {
        if (isfinite(base[i]))
            largest = fmax(largest, fabs(base[i]));
        if (is_same(base[i], again[i]))
            continue;
        if (!isfinite(base[i]) || !isfinite(again[i]))
            return NAN;
        noise = fmax(noise, fabs(base[i] - again[i]));
    }
    return noise <= ldexp(largest, -(bits + 10)) ? noise : NAN;
}

/* The noise of two runs may be twice that of others. */
int64_t osw_sensitivity_add_level(const double *base, const double *values,
                                  int64_t n, double noise, uint8_t *levels)
{
    int64_t n_changed = 0;

    for (int64_t i = 0; i < n; i++) {
        bool changed = memcmp(&base[i], &values[i], sizeof(*base)) != 0 &&
                       !(fabs(base[i] - values[i]) <= 4 * noise);

        levels[i] = (uint8_t)(levels[i] + changed);
        n_changed += changed;
    }
    osw_heartbeat(n);
    return n_changed;
}

/* Neighbours together. */
struct pool {
    double amount_sq, levels, value_sq;
    bool smooth; /* most of them are */
};

static struct pool pool_of(const double *base, const double *amount_sq,
                           const uint8_t *levels, int64_t n)
{
    struct pool p = {.smooth = false};
    int64_t n_smooth = 0, n_finite = 0;

    for (int64_t i = 0; i < n; i++) {
        p.levels += (double)levels[i] / (double)n;
        if (isfinite(base[i])) {
            p.value_sq += base[i] * base[i];
            n_finite++;
        }
        if (isfinite(amount_sq[i])) {
            p.amount_sq += amount_sq[i];
            n_smooth++;
        }
    }
    p.smooth = 2 * n_smooth >= n;
    if (n_smooth > 0)
        p.amount_sq /= (double)n_smooth;
    if (n_finite > 0)
        p.value_sq /= (double)n_finite;
    return p;
}

/* An element that is not smooth, or that happens to be far less sensitive than
 * its neighbours, gets the neighbours' value.
 */
static double pooled(const struct pool *p, double amount_sq, double value)
{
    double amount;

    if (!isfinite(value) || (!isfinite(amount_sq) && !p->smooth))
        return -1;
    amount = sqrt(isfinite(amount_sq) ? fmax(amount_sq, p->amount_sq / 2)
                                      : p->amount_sq);
    return amount <= STEEPEST * fmax(fabs(value), sqrt(p->value_sq)) ? amount
                                                                     : -1;
}

void osw_sensitivity_finish(const double *base, const double *sum_sq,
                            const uint8_t *levels, int bits,
                            struct osw_sensitivity *s)
{
    const double step = STEP * ldexp(1, -bits);
    const double scale = 1 / (2 * OSW_SENSITIVITY_PAIRS * step * step);

    for (int64_t from = 0; from < s->n; from += POOL) {
        int64_t n = s->n - from < POOL ? s->n - from : POOL;
        double amount_sq[POOL];
        struct pool p;

        for (int64_t i = 0; i < n; i++)
            amount_sq[i] = sum_sq[from + i] * scale;
        p = pool_of(base + from, amount_sq, levels + from, n);
        for (int64_t i = 0; i < n; i++) {
            double own = (double)levels[from + i] - 1;

            s->amount[from + i] =
                (float)pooled(&p, amount_sq[i], base[from + i]);
            s->growth[from + i] = (float)exp2(fmax(own, p.levels) + 0.1);
        }
    }
    osw_heartbeat(s->n);
}

/* --- comparing --- */

struct compare {
    const struct osw_expected *want;
    const struct osw_sensitivity *s;
    struct osw_tolerance_rounding rounding;
    struct osw_value_rule plain; /* what the plain tolerance allows */
    bool norms;
    double sum_sq;
    int64_t n; /* errors in sum_sq */
    struct osw_sensitivity_errors *out;
};

/* One element whose neighbours have that rms. */
static void compare_one(struct compare *c, double got, int64_t i, double around)
{
    double want = c->want->exact[i], err, tolerance, usual, most;
    double norm = c->norms ? osw_value_norm(&c->plain, c->want->norm[i]) : 0;
    int verdict = osw_value_judge(&c->plain, got, want, norm, &err);
    struct osw_tolerance_sensitive limit = {0, 0};

    if (isfinite(want) && c->s->amount[i] >= 0)
        limit = osw_tolerance_sensitive(&c->rounding, want, around,
                                        (double)c->s->amount[i],
                                        (double)c->s->growth[i]);
    tolerance = osw_value_tolerance(&c->plain, fabs(want), norm);
    usual = c->norms ? limit.usual : fmax(limit.usual, tolerance);
    most = fmax(limit.most, tolerance);
    if (limit.usual > 0 && err >= 0) {
        c->sum_sq += err / usual * (err / usual);
        c->n++;
    }
    if (err > 0 && most > 0)
        c->out->worst = fmax(c->out->worst, err / most);
    if (verdict == OSW_VALUE_GOOD ||
        (verdict == OSW_VALUE_BAD && err <= limit.most))
        return;
    if (c->out->n_bad++ == 0)
        c->out->first_bad = i;
}

static double rms_of(const double *values, int64_t n)
{
    double sum = 0;
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            sum += values[i] * values[i];
            k++;
        }
    return k ? sqrt(sum / (double)k) : 0;
}

/* The next n <= POOL elements in row-major order, as doubles. */
static void load_next(struct osw_walk *walk, const struct osw_view *v,
                      int64_t n, double *to)
{
    int64_t bytes = (int64_t)osw_view_elem_bytes(v), have = 0;
    struct osw_run run;

    while (have < n && osw_walk_next(walk, n - have, &run)) {
        osw_view_load(v->desc->dtype,
                      (const char *)v->data + run.offset * bytes, run.stride,
                      run.n, to + have);
        have += run.n;
    }
}

void osw_sensitivity_compare(const struct osw_view *got,
                             const struct osw_expected *want,
                             const struct osw_sensitivity *s,
                             const struct osw_tolerance_job *job, int bits,
                             struct osw_sensitivity_errors *out)
{
    struct osw_accept accept = osw_tolerance_accept(job);
    struct compare c = {.want = want,
                        .s = s,
                        .rounding = osw_tolerance_rounding(job, bits),
                        .plain = osw_compare_rule(job->dtype->id, &accept),
                        .norms = job->norms && want->norm,
                        .out = out};
    struct osw_walk walk;

    *out = (struct osw_sensitivity_errors){.first_bad = -1};
    osw_walk_rows(&walk, got->desc);
    for (int64_t from = 0; from < s->n; from += POOL) {
        int64_t n = s->n - from < POOL ? s->n - from : POOL;
        double values[POOL] = {0}, around = rms_of(want->exact + from, n);

        load_next(&walk, got, n, values);
        for (int64_t i = 0; i < n; i++)
            compare_one(&c, values[i], from + i, around);
    }
    osw_heartbeat(s->n);
    out->rms = c.n ? sqrt(c.sum_sq / (double)c.n) : 0;
    out->limit = osw_tolerance_few(job, c.n);
}

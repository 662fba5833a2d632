/* worker/judge/compare/sensitivity.c - how sensitive output elements are to
 * rounding
 */
#include "worker/judge/compare/sensitivity.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "worker/judge/memory/heartbeat.h"

enum {
    POOL = OSW_SENSITIVITY_POOL,
    PIECE = 1 << 18, /* elements that a thread takes at a time: whole pools */
    /* log2 of the units that a wide run moves inputs by.  A sum of 4,000 terms
     * in f32 may be off by that; 16-bit inputs are summed as f32.
     */
    WIDE = 6,
    WIDE_16_BITS = 2,
    F32_BITS = 24,
};

/* rms of ulp(x) / |x| in units of 2^-bits: 2 sqrt(3 / (8 ln 2)) for mantissas
 * that are distributed like their logarithms.
 */
#define STEP 1.471

/* Elements with a larger condition number have lost more than half of the
 * digits of float32; their results jump.
 */
#define STEEPEST 0x1p14

/* --- many elements --- */

typedef void range_f(void *arg, int64_t from, int64_t to);

struct pieces {
    range_f *range;
    void *arg;
    int64_t n;
};

static void take_piece(void *arg, size_t i)
{
    const struct pieces *p = arg;
    int64_t from = (int64_t)i * PIECE;

    p->range(p->arg, from, p->n - from < PIECE ? p->n : from + PIECE);
}

static size_t n_pieces(int64_t n)
{
    return (size_t)((n + PIECE - 1) / PIECE);
}

/* range(arg, from, to) of all n elements; pieces are the same for any number of
 * threads.
 */
static void each_piece(unsigned n_threads, int64_t n, range_f *range, void *arg)
{
    struct pieces p = {range, arg, n};

    osw_parallel(n_threads, n_pieces(n), take_piece, &p);
    osw_heartbeat(n);
}

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

int osw_sensitivity_finest(int bits, enum osw_dtype_id dtype)
{
    int own = format_of(dtype).bits;

    return own > bits ? own : bits;
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
    void *data;
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
#define PUSH(type)                                                             \
    static void push_##type(void *arg, int64_t from, int64_t to)               \
    {                                                                          \
        const struct push *p = arg;                                            \
        type *data = p->data;                                                  \
                                                                               \
        for (int64_t i = from; i < to; i++)                                    \
            data[i] = (type)pushed(p, (uint64_t)i, data[i]);                   \
    }
PUSH(uint16_t)
PUSH(uint32_t)
PUSH(uint64_t)

double osw_sensitivity_wide(int bits)
{
    return ldexp(1, bits >= F32_BITS ? WIDE : WIDE_16_BITS);
}

void osw_sensitivity_perturb(const struct osw_sensitivity_run *run, int bits,
                             enum osw_dtype_id dtype, uint32_t tensor,
                             unsigned n_threads, void *data, uint64_t bytes)
{
    struct format f = format_of(dtype);
    struct push p = {.key = mix(run->seed ^ mix(tensor + 1)),
                     .infinity = f.infinity,
                     .mask = (UINT64_C(1) << 2 * run->level) - 1,
                     .backwards = run->backwards,
                     .data = data};

    if (f.bits == 0)
        return;
    p.step = UINT64_C(1) << (f.bits > bits ? f.bits - bits : 0);
    if (run->wide)
        p.step *= (uint64_t)osw_sensitivity_wide(bits);
    /* Steps of one size could cancel in a sum, which would not react then. */
    p.most = run->level > 0 ? (UINT64_C(1) << bits / 3) - 1 : 0;
    each_piece(n_threads, (int64_t)(bytes / f.bytes),
               f.bytes == 2   ? push_uint16_t
               : f.bytes == 4 ? push_uint32_t
                              : push_uint64_t,
               &p);
}

/* --- what the runs say --- */

struct pair {
    const double *base, *plus, *minus;
    struct osw_sensitivity_sums sums;
};

static void add_pair(void *arg, int64_t from, int64_t to)
{
    const struct pair *a = arg;

    for (int64_t i = from; i < to; i++) {
        double p = a->plus[i] - a->base[i], m = a->minus[i] - a->base[i];
        double size = fabs(p) + fabs(m);

        if (size <= OSW_SENSITIVITY_NOISE * fabs(a->base[i]))
            continue;
        a->sums.sq[i] += p * p + m * m;
        a->sums.bent[i] += fabs(p + m) - size / 2;
    }
}

void osw_sensitivity_add_pair(const double *base, const double *plus,
                              const double *minus, int64_t n,
                              unsigned n_threads,
                              const struct osw_sensitivity_sums *sums)
{
    struct pair a = {base, plus, minus, *sums};

    each_piece(n_threads, n, add_pair, &a);
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

struct level {
    const double *base, *values;
    double noise;
    uint8_t *levels;
    atomic_llong n_changed;
};

/* The noise of two runs may be twice that of others. */
static void add_level(void *arg, int64_t from, int64_t to)
{
    struct level *a = arg;
    int64_t n_changed = 0;

    for (int64_t i = from; i < to; i++) {
        bool changed =
            memcmp(&a->base[i], &a->values[i], sizeof(*a->base)) != 0 &&
            !(fabs(a->base[i] - a->values[i]) <= 4 * a->noise);

        a->levels[i] = (uint8_t)(a->levels[i] + changed);
        n_changed += changed;
    }
    atomic_fetch_add(&a->n_changed, n_changed);
}

int64_t osw_sensitivity_add_level(const double *base, const double *values,
                                  int64_t n, double noise, unsigned n_threads,
                                  uint8_t *levels)
{
    struct level a = {base, values, noise, levels, 0};

    each_piece(n_threads, n, add_level, &a);
    return atomic_load(&a.n_changed);
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

struct finish {
    const double *base;
    struct osw_sensitivity_sums sums;
    const uint8_t *levels;
    double scale;
    struct osw_sensitivity *s;
};

static void finish_pool(const struct finish *f, int64_t from, int64_t n)
{
    double amount_sq[POOL];
    struct pool p;

    for (int64_t i = 0; i < n; i++)
        amount_sq[i] =
            f->sums.bent[from + i] <= 0 ? f->sums.sq[from + i] * f->scale : NAN;
    p = pool_of(f->base + from, amount_sq, f->levels + from, n);
    for (int64_t i = 0; i < n; i++) {
        double own = (double)f->levels[from + i] - 1;

        f->s->amount[from + i] =
            (float)pooled(&p, amount_sq[i], f->base[from + i]);
        f->s->growth[from + i] = (float)exp2(fmax(own, p.levels) + 0.1);
    }
}

static void finish(void *arg, int64_t from, int64_t to)
{
    for (; from < to; from += POOL)
        finish_pool(arg, from, to - from < POOL ? to - from : POOL);
}

void osw_sensitivity_finish(const double *base,
                            const struct osw_sensitivity_sums *sums,
                            const uint8_t *levels, int bits, unsigned n_threads,
                            struct osw_sensitivity *s)
{
    const double step = STEP * ldexp(1, -bits);
    struct finish f = {base, *sums, levels,
                       1 / (2 * OSW_SENSITIVITY_PAIRS * step * step), s};

    each_piece(n_threads, s->n, finish, &f);
}

/* --- comparing --- */

struct compare {
    const struct osw_view *got;
    const struct osw_expected *want;
    const struct osw_sensitivity *s;
    struct osw_tolerance_rounding rounding;
    struct osw_value_rule plain; /* what the plain tolerance allows */
    bool norms;
    bool complex;        /* real and imaginary parts take turns */
    struct found *found; /* of each piece */
};

struct found {
    double sum_sq;
    int64_t n; /* errors in sum_sq */
    struct osw_sensitivity_errors errors;
};

/* Has element i the value that it jumps to? */
static bool has_jumped(const struct compare *c, double got, int64_t i,
                       double norm)
{
    int64_t from = 0, to = c->s->n_jumps;
    double err;

    while (from < to) {
        int64_t middle = from + (to - from) / 2;

        if (c->s->jumps[middle].at < i)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == c->s->n_jumps || c->s->jumps[from].at != i)
        return false;
    return osw_value_judge(&c->plain, got, c->s->jumps[from].value,
                           fabs(c->s->jumps[from].value), norm,
                           &err) == OSW_VALUE_GOOD;
}

/* One element whose neighbours have that rms. */
static void compare_one(const struct compare *c, double got, int64_t i,
                        double around, struct found *f)
{
    double want = c->want->exact[i], err, tolerance, usual, most;
    double norm = c->norms ? osw_value_norm(&c->plain, c->want->norm[i]) : 0;
    double size = c->complex ? hypot(want, c->want->exact[i ^ 1]) : fabs(want);
    int verdict = osw_value_judge(&c->plain, got, want, size, norm, &err);
    struct osw_tolerance_sensitive limit = {0, 0};

    if (isfinite(size) && c->s->amount[i] >= 0)
        limit = osw_tolerance_sensitive(&c->rounding, size, around,
                                        (double)c->s->amount[i],
                                        (double)c->s->growth[i]);
    tolerance = osw_value_tolerance(&c->plain, size, norm);
    usual = c->norms ? limit.usual : fmax(limit.usual, tolerance);
    most = fmax(limit.most, tolerance);
    if (verdict != OSW_VALUE_GOOD && !(err > 0 && err <= limit.most) &&
        has_jumped(c, got, i, norm)) {
        f->errors.n_jumped++;
        return;
    }
    if (limit.usual > 0 && err >= 0) {
        f->sum_sq += err / usual * (err / usual);
        f->n++;
    }
    if (err > 0 && most > 0)
        f->errors.worst = fmax(f->errors.worst, err / most);
    if (verdict == OSW_VALUE_GOOD ||
        (verdict == OSW_VALUE_BAD && err > 0 && err <= limit.most))
        return;
    if (f->errors.n_bad++ == 0)
        f->errors.first_bad = i;
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

static void compare(void *arg, int64_t from, int64_t to)
{
    const struct compare *c = arg;
    struct found *f = &c->found[from / PIECE];
    struct osw_walk walk;

    *f = (struct found){.errors = {.first_bad = -1}};
    osw_walk_rows_from(&walk, c->got->desc, from);
    for (; from < to; from += POOL) {
        int64_t n = to - from < POOL ? to - from : POOL;
        double values[POOL] = {0}, around = rms_of(c->want->exact + from, n);

        load_next(&walk, c->got, n, values);
        for (int64_t i = 0; i < n; i++)
            compare_one(c, values[i], from + i, around, f);
    }
}

static void add_found(struct found *all, const struct found *f)
{
    all->sum_sq += f->sum_sq;
    all->n += f->n;
    all->errors.worst = fmax(all->errors.worst, f->errors.worst);
    all->errors.n_bad += f->errors.n_bad;
    all->errors.n_jumped += f->errors.n_jumped;
    if (all->errors.first_bad < 0)
        all->errors.first_bad = f->errors.first_bad;
}

bool osw_sensitivity_compare(const struct osw_view *got,
                             const struct osw_expected *want,
                             const struct osw_sensitivity *s,
                             const struct osw_tolerance_job *job, int bits,
                             unsigned n_threads,
                             struct osw_sensitivity_errors *out)
{
    struct osw_accept accept = osw_tolerance_accept(job);
    struct compare c = {.got = got,
                        .want = want,
                        .s = s,
                        .rounding = osw_tolerance_rounding(job, bits),
                        .plain = osw_compare_rule(job->dtype->id, &accept),
                        .norms = job->norms && want->norm,
                        .complex = job->dtype->class == OSW_CLASS_COMPLEX,
                        .found = calloc(n_pieces(s->n) + 1, sizeof(*c.found))};
    struct found all = {.errors = {.first_bad = -1}};

    if (!c.found)
        return false;
    each_piece(n_threads, s->n, compare, &c);
    for (size_t i = 0; i < n_pieces(s->n); i++)
        add_found(&all, &c.found[i]);
    free(c.found);
    *out = all.errors;
    if (out->n_jumped > osw_sensitivity_most_jumps(s->n)) {
        out->n_bad += out->n_jumped;
        out->n_jumped = 0;
    }
    out->rms = all.n ? sqrt(all.sum_sq / (double)all.n) : 0;
    out->limit = osw_tolerance_few(job, all.n);
    return true;
}

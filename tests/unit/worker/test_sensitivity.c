/* tests/unit/worker/test_sensitivity.c - how sensitive output elements are to
 * rounding
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/compare/sensitivity.h"

enum { POOL = OSW_SENSITIVITY_POOL };

static struct osw_op op; /* no tolerance of its own */

static struct osw_tolerance_job job_of(enum osw_dtype_id dtype)
{
    return (struct osw_tolerance_job){.op = &op,
                                      .dtype = osw_dtype_info((int)dtype),
                                      .centred = true,
                                      .terms = 1,
                                      .repeats = 1,
                                      .trial = -1};
}

static void the_coarsest_dtype_sets_the_step(void **state)
{
    (void)state;
    assert_int_equal(osw_sensitivity_bits(0, OSW_F32), 24);
    assert_int_equal(osw_sensitivity_bits(24, OSW_BF16), 8);
    assert_int_equal(osw_sensitivity_bits(8, OSW_F32), 8);
    assert_int_equal(osw_sensitivity_bits(0, OSW_F64), 37);
    assert_int_equal(osw_sensitivity_bits(24, OSW_I64), 24);
    assert_int_equal(osw_sensitivity_bits(0, OSW_B8), 0);
}

static void every_number_moves_by_one_place_and_back(void **state)
{
    const float x[] = {1.5f, -3.0f, 1e-30f, 0.0f, INFINITY, NAN, FLT_MAX};
    float plus[7], minus[7];
    struct osw_sensitivity_run run = {.seed = 7};

    (void)state;
    memcpy(plus, x, sizeof(x));
    memcpy(minus, x, sizeof(x));
    osw_sensitivity_perturb(&run, 24, OSW_F32, 0, 1, plus, sizeof(plus));
    run.backwards = true;
    osw_sensitivity_perturb(&run, 24, OSW_F32, 0, 1, minus, sizeof(minus));
    for (int i = 0; i < 3; i++) {
        float up = nextafterf(x[i], INFINITY);
        float down = nextafterf(x[i], -INFINITY);

        assert_true((plus[i] == up && minus[i] == down) ||
                    (plus[i] == down && minus[i] == up));
    }
    for (int i = 3; i < 6; i++) /* zero, infinity and NaN stay */
        assert_memory_equal(&plus[i], &x[i], sizeof(float));
    assert_true(isfinite(plus[6]) && isfinite(minus[6]));
}

/* Beside bf16, floats move by as much as bf16 does: 2^16 of their places. */
static void finer_dtypes_take_the_step_of_the_coarsest(void **state)
{
    struct osw_sensitivity_run run = {.seed = 1};
    float x = 1.5f;
    double y = 1.5;

    (void)state;
    osw_sensitivity_perturb(&run, 8, OSW_F32, 0, 1, &x, sizeof(x));
    assert_true(fabsf(x - 1.5f) == 0x1p-7f);
    osw_sensitivity_perturb(&run, 37, OSW_F64, 0, 1, &y, sizeof(y));
    assert_true(fabs(y - 1.5) == 0x1p-36);
}

static void a_level_perturbs_a_part_and_seeds_are_reproducible(void **state)
{
    enum { N = 4096 };
    static float a[N], b[N];
    struct osw_sensitivity_run run = {.seed = 5, .level = 2};
    int n_moved = 0;

    (void)state;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = 1.0f;
    osw_sensitivity_perturb(&run, 24, OSW_F32, 3, 1, a, sizeof(a));
    osw_sensitivity_perturb(&run, 24, OSW_F32, 3, 1, b, sizeof(b));
    assert_memory_equal(a, b, sizeof(a));
    for (int i = 0; i < N; i++)
        n_moved += a[i] != 1.0f;
    assert_in_range(n_moved, 200, 312); /* 256, deviation 15.5 */
}

/* Equal steps up and down would cancel in a sum: 20 of 64 values and more. */
static void sums_react_to_levels_although_steps_go_both_ways(void **state)
{
    enum { RUNS = 64, N = 16 };
    int n_silent = 0;

    (void)state;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct osw_sensitivity_run run = {.seed = seed, .level = 1};
        float x[N];
        double sum = 0;

        for (int i = 0; i < N; i++)
            x[i] = 100;
        osw_sensitivity_perturb(&run, 24, OSW_F32, 0, 1, x, sizeof(x));
        for (int i = 0; i < N; i++)
            sum += (double)x[i];
        n_silent += sum == 100 * N;
    }
    assert_in_range(n_silent, 0, 5);
}

/* Differences of +-d in each of three pairs: S = d / (1.471 2^-24). */
static void amounts_are_spreads_in_units_of_the_step(void **state)
{
    double base[POOL], plus[POOL], minus[POOL], sq[POOL] = {0};
    uint8_t levels[POOL] = {0};
    float amount[POOL], growth[POOL];
    struct osw_sensitivity s = {POOL, amount, growth};
    double bent[POOL] = {0};
    struct osw_sensitivity_sums sums = {sq, bent};

    (void)state;
    for (int i = 0; i < POOL; i++) {
        base[i] = 10;
        plus[i] = 10 + 1.471 * 0x1p-24 * 8;
        minus[i] = 10 - 1.471 * 0x1p-24 * 8;
    }
    for (int i = 0; i < OSW_SENSITIVITY_PAIRS; i++)
        osw_sensitivity_add_pair(base, plus, minus, POOL, 1, &sums);
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    for (int i = 0; i < POOL; i++) {
        assert_true(fabs((double)amount[i] - 8) < 1e-3);
        assert_true(fabs((double)growth[i] - exp2(0.1)) < 1e-6);
    }
}

/* Reactions to five levels: sqrt(4^5) = 32.  A row of its own counts by
 * itself where it reacts more often than its neighbours.
 */
static void levels_tell_how_many_inputs_there_are(void **state)
{
    double base[POOL] = {0}, values[POOL] = {0}, sq[POOL] = {0};
    uint8_t levels[POOL] = {0};
    float amount[POOL], growth[POOL];
    struct osw_sensitivity s = {POOL, amount, growth};
    double bent[POOL] = {0};
    struct osw_sensitivity_sums sums = {sq, bent};

    (void)state;
    for (int i = 0; i < POOL; i++) {
        base[i] = 1;
        values[i] = 1 + 1e-9;
        levels[i] = 4;
    }
    assert_int_equal(
        osw_sensitivity_add_level(base, values, POOL, 0, 1, levels), POOL);
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    assert_true(fabs((double)growth[0] - 32 * exp2(0.1)) < 1e-4);
    memset(levels, 0, sizeof(levels));
    levels[3] = 9;
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    assert_true(fabs((double)growth[3] - 256 * exp2(0.1)) < 1e-3);
    assert_true((double)growth[4] < 2);
}

/* One spread that happens to be small is raised to half of its neighbours'
 * mean square; one that is large stays.
 */
static void neighbours_make_up_for_few_samples(void **state)
{
    double base[POOL], sq[POOL];
    uint8_t levels[POOL] = {0};
    float amount[POOL], growth[POOL];
    struct osw_sensitivity s = {POOL, amount, growth};
    double bent[POOL] = {0};
    struct osw_sensitivity_sums sums = {sq, bent};
    const double unit = 6 * 1.471 * 1.471 * 0x1p-48; /* of S = 1 */

    (void)state;
    for (int i = 0; i < POOL; i++) {
        base[i] = 1;
        sq[i] = unit;
    }
    sq[5] = 0;
    sq[6] = 100 * unit;
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    assert_true(fabs((double)amount[5] - sqrt(114 / 16.0 / 2)) < 1e-3);
    assert_true(fabs((double)amount[6] - 10) < 1e-3);
}

/* floor(x) at an integer answers -1 and 0; a smooth function +d and -d. */
static void what_jumps_is_not_smooth(void **state)
{
    double base[2 * POOL], plus[2 * POOL], minus[2 * POOL];
    double sq[2 * POOL] = {0}, bent[2 * POOL] = {0};
    struct osw_sensitivity_sums sums = {sq, bent};
    uint8_t levels[2 * POOL] = {0};
    float amount[2 * POOL], growth[2 * POOL];
    struct osw_sensitivity s = {2 * POOL, amount, growth};

    (void)state;
    for (int i = 0; i < 2 * POOL; i++)
        base[i] = plus[i] = minus[i] = 2;
    minus[3] = 1;
    for (int i = POOL; i < 2 * POOL; i++)
        plus[i] = 3;
    osw_sensitivity_add_pair(base, plus, minus, 2 * POOL, 1, &sums);
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    assert_true(amount[3] == 0);   /* as sensitive as its neighbours */
    assert_true(amount[POOL] < 0); /* all of them jump: nothing is known */
    sq[3] = 1;                     /* a condition number of 2^22 */
    bent[3] = -1;
    osw_sensitivity_finish(base, &sums, levels, 24, 1, &s);
    assert_true(amount[3] < 0);
}

/* x^2 near 1 by steps of which one happens to be tiny: that pair is bent, the
 * others are not.
 */
static void a_pair_of_small_differences_is_no_jump(void **state)
{
    static const double steps[OSW_SENSITIVITY_PAIRS] = {1e-3, 0, 2e-3};
    double base[POOL], plus[POOL], minus[POOL];
    double sq[POOL] = {0}, bent[POOL] = {0};
    uint8_t levels[POOL] = {0};
    float amount[POOL], growth[POOL];
    struct osw_sensitivity s = {POOL, amount, growth};
    struct osw_sensitivity_sums sums = {sq, bent};

    (void)state;
    for (int k = 0; k < OSW_SENSITIVITY_PAIRS; k++) {
        for (int i = 0; i < POOL; i++) {
            base[i] = 1;
            plus[i] = (1 + steps[k]) * (1 + steps[k]) + 1e-5;
            minus[i] = (1 - steps[k]) * (1 - steps[k]) + 1e-5;
        }
        osw_sensitivity_add_pair(base, plus, minus, POOL, 1, &sums);
    }
    osw_sensitivity_finish(base, &sums, levels, 8, 1, &s);
    for (int i = 0; i < POOL; i++)
        assert_true(amount[i] > 0.2f && amount[i] < 1);
}

/* A sum of 16,384 squares by steps of bf16: n d^2 and sqrt(n) d, and in wide
 * runs 16 and 4 times as much.  It is bent, and does not jump as floor(x) does.
 */
static void what_is_curved_does_not_jump(void **state)
{
    static const double along[] = {0.3, -0.1, 0.4, 0.2};
    double base[2] = {16384, 2}, plus[2], minus[2];
    double sq[2] = {0}, bent[2] = {0};
    struct osw_sensitivity_sums sums = {sq, bent};

    (void)state;
    for (int k = 0; k <= OSW_SENSITIVITY_PAIRS; k++) {
        double units = k < OSW_SENSITIVITY_PAIRS ? 1 : osw_sensitivity_wide(8);

        plus[0] = base[0] + 0.25 * units * units + along[k] * units;
        minus[0] = base[0] + 0.25 * units * units - along[k] * units;
        plus[1] = 2;
        minus[1] = 1;
        if (k < OSW_SENSITIVITY_PAIRS)
            osw_sensitivity_add_pair(base, plus, minus, 2, 1, &sums);
    }
    assert_true(bent[0] > 0 && bent[1] > 0);
    osw_sensitivity_unbend(base, plus, minus, 2, 8, &sums);
    assert_true(bent[0] <= 0);
    assert_true(bent[1] > 0);
}

/* r = 3, S = 4, g = 8: A = 2^-24 * 8 * 5, T = hypot(3/4 A, 0.6 u 4, 0.6 u 3),
 * where S counts as the element's size, at most 18 A + 4 u 4 + 9/4 u 3, where
 * it counts as up to twice that.
 */
static void the_rule_by_hand(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F32);
    struct osw_tolerance_rounding r = osw_tolerance_rounding(&job, 24);
    struct osw_tolerance_sensitive t = osw_tolerance_sensitive(&r, -3, 3, 4, 8);
    double u = 0x1p-24;

    (void)state;
    assert_true(fabs(t.most / u - (720 + 16 + 6.75)) < 1e-9);
    assert_true(fabs(t.usual / u - sqrt(900 + 1.8 * 1.8 + 1.8 * 1.8)) < 1e-9);
    job.norms = true; /* no rounding of inputs, half of A */
    r = osw_tolerance_rounding(&job, 24);
    t = osw_tolerance_sensitive(&r, -3, 3, 4, 8);
    assert_true(fabs(t.most / u - (720 + 6.75)) < 1e-9);
    assert_true(fabs(t.usual / u - sqrt(400 + 1.8 * 1.8)) < 1e-9);
}

static void the_cap_is_a_thousandth_of_the_size(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F32);
    struct osw_tolerance_rounding r = osw_tolerance_rounding(&job, 24);

    (void)state;
    assert_true(osw_tolerance_sensitive(&r, 1, 0, 16, 4096).most == 0x1p-10);
    assert_true(osw_tolerance_sensitive(&r, 1, 2, 16, 4096).most == 0x1p-9);
    job = job_of(OSW_BF16);
    r = osw_tolerance_rounding(&job, 8);
    assert_true(osw_tolerance_sensitive(&r, 1, 0, 16, 4096).most == 0x1p-5);
}

/* Elements of value 1 with errors of `error` units, S and g as given. */
static struct osw_sensitivity_errors errors_of(double error, int n_with,
                                               float s, float g)
{
    enum { N = 64 };
    struct tensor got;
    double exact[N];
    float amount[N], growth[N];
    struct osw_sensitivity sensitivity = {N, amount, growth};
    struct osw_expected want = {.exact = exact};
    struct osw_tolerance_job job = job_of(OSW_F32);
    struct osw_sensitivity_errors out;

    tensor_vector(&got, OSW_F32, N);
    for (int i = 0; i < N; i++) {
        exact[i] = 1;
        amount[i] = s;
        growth[i] = g;
        *(float *)tensor_at(&got, i) =
            (float)(1 + (i < n_with ? error * 0x1p-24 : 0));
    }
    assert_true(osw_sensitivity_compare(&got.view, &want, &sensitivity, &job,
                                        24, 1, &out));
    tensor_free(&got);
    return out;
}

static void large_errors_and_many_large_errors_are_refused(void **state)
{
    struct osw_sensitivity_errors e;

    (void)state;
    /* The tolerance is 190 units; A is 16 * 10.05 = 161 with S 10, g 16. */
    e = errors_of(1000, 1, 10, 16);
    assert_true(e.n_bad == 0 && e.rms <= e.limit);
    e = errors_of(2850, 1, 10, 16); /* 18 A */
    assert_true(e.n_bad == 0);
    e = errors_of(2950, 1, 10, 16);
    assert_true(e.n_bad == 1 && e.first_bad == 0);
    e = errors_of(1000, 64, 10, 16); /* each alone is fine */
    assert_true(e.n_bad == 0 && e.rms > e.limit);
    e = errors_of(1000, 1, -1, 16); /* nothing is known */
    assert_true(e.n_bad == 1);
    e = errors_of(100, 64, -1, 16);
    assert_true(e.n_bad == 0 && e.rms <= e.limit);
    e = errors_of(NAN, 1, 10, 16);
    assert_true(e.n_bad == 1);
    e = errors_of(INFINITY, 1, 10, 16);
    assert_true(e.n_bad == 1);
}

static int no_tolerances(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(op.tolerance) / sizeof(op.tolerance[0]); i++)
        op.tolerance[i] = (struct osw_tolerance){NAN, NAN};
    return 0;
}

static void noise_far_below_a_step_is_no_reaction(void **state)
{
    const double base[3] = {1000, -1, 0.5};
    double again[3] = {1000, -1 + 0x1p-44, 0.5};
    uint8_t levels[3] = {0};
    double noise = osw_sensitivity_noise(base, again, 3, 24);

    (void)state;
    assert_true(osw_sensitivity_noise(base, base, 3, 24) == 0);
    assert_true(noise == 0x1p-44);
    again[2] += 0x1p-43; /* as much as noise makes of two runs */
    again[0] += 1e-6;
    assert_int_equal(
        osw_sensitivity_add_level(base, again, 3, noise, 1, levels), 1);
    assert_true(levels[0] == 1 && levels[1] == 0 && levels[2] == 0);
    again[0] = 1000 + 1e-4; /* 2^-23 of it */
    assert_true(isnan(osw_sensitivity_noise(base, again, 3, 24)));
    again[0] = NAN;
    assert_true(isnan(osw_sensitivity_noise(base, again, 3, 24)));
}

/* All that is done with n elements, by so many threads. */
struct whole {
    float *x, *amount, *growth;
    double *base, *plus, *minus;
    struct osw_sensitivity_sums sums;
    uint8_t *levels;
    int64_t n_changed;
    struct osw_sensitivity_errors errors;
};

static void *memory_of(int64_t n, size_t size)
{
    void *memory = calloc((size_t)n, size);

    assert_non_null(memory);
    return memory;
}

static struct whole make_whole(int64_t n, unsigned n_threads)
{
    struct whole w = {memory_of(n, 4),
                      memory_of(n, 4),
                      memory_of(n, 4),
                      memory_of(n, 8),
                      memory_of(n, 8),
                      memory_of(n, 8),
                      {memory_of(n, 8), memory_of(n, 8)},
                      memory_of(n, 1),
                      0,
                      {0}};
    struct osw_sensitivity s = {n, w.amount, w.growth};
    struct osw_sensitivity_run run = {.seed = 3};
    struct osw_expected want = {.exact = w.base};
    struct osw_tolerance_job job = job_of(OSW_F32);
    struct tensor got;

    tensor_vector(&got, OSW_F32, (int)n);
    for (int64_t i = 0; i < n; i++) {
        w.x[i] = (float)(1 + i % 97);
        w.base[i] = (double)w.x[i];
        *(float *)tensor_at(&got, (int)i) =
            i % 100003 == 70000 ? 0 : w.x[i] * (1 + 0x1p-20f);
    }
    osw_sensitivity_perturb(&run, 24, OSW_F32, 1, n_threads, w.x,
                            (uint64_t)n * sizeof(*w.x));
    for (int64_t i = 0; i < n; i++) {
        w.plus[i] = (double)w.x[i];
        w.minus[i] = 2 * w.base[i] - w.plus[i];
    }
    osw_sensitivity_add_pair(w.base, w.plus, w.minus, n, n_threads, &w.sums);
    w.n_changed =
        osw_sensitivity_add_level(w.base, w.plus, n, 0, n_threads, w.levels);
    osw_sensitivity_finish(w.base, &w.sums, w.levels, 24, n_threads, &s);
    assert_true(osw_sensitivity_compare(&got.view, &want, &s, &job, 24,
                                        n_threads, &w.errors));
    tensor_free(&got);
    return w;
}

static void free_whole(struct whole *w)
{
    void *all[] = {w->x,     w->amount,  w->growth,    w->base,  w->plus,
                   w->minus, w->sums.sq, w->sums.bent, w->levels};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* More than two pieces, and a part of one. */
static void any_number_of_threads_gives_the_same(void **state)
{
    const int64_t n = 600001;
    struct whole one = make_whole(n, 1), three = make_whole(n, 3);

    (void)state;
    assert_memory_equal(one.x, three.x, (size_t)n * sizeof(*one.x));
    assert_memory_equal(one.amount, three.amount,
                        (size_t)n * sizeof(*one.amount));
    assert_memory_equal(one.growth, three.growth,
                        (size_t)n * sizeof(*one.growth));
    assert_int_equal(one.n_changed, n);
    assert_int_equal(three.n_changed, n);
    assert_int_equal(one.errors.n_bad, 6);
    assert_int_equal(one.errors.first_bad, 70000);
    assert_memory_equal(&one.errors, &three.errors, sizeof(one.errors));
    free_whole(&one);
    free_whole(&three);
}

static void elements_that_jump_are_found(void **state)
{
    /* smooth; a jump up; one down; to infinity; NaN; no move; a bend */
    static const double base[] = {1, 2, 3, 4, 5, 6, 0};
    static const double plus[] = {1.1, 3, 3, INFINITY, NAN, 6, 0.1};
    static const double minus[] = {0.9, 2, 2, 4, 5, 6, 0.1};
    struct osw_sensitivity_jump jumps[7];

    (void)state;
    assert_int_equal(osw_sensitivity_find_jumps(base, plus, minus, 7, 7, jumps),
                     5);
    assert_int_equal(jumps[0].at, 1);
    assert_true(jumps[0].value == 3);
    assert_int_equal(jumps[1].at, 2);
    assert_true(jumps[1].value == 2);
    assert_int_equal(jumps[2].at, 3);
    assert_true(isinf(jumps[2].value));
    assert_int_equal(jumps[3].at, 4);
    assert_int_equal(jumps[4].at, 6);
    assert_int_equal(osw_sensitivity_find_jumps(base, plus, minus, 7, 2, jumps),
                     2);
}

/* Of 1,000 elements two may be where they jump to, and no third one. */
static void few_elements_may_have_jumped(void **state)
{
    enum { N = 1000 };
    static float got[N], amount[N], growth[N];
    static double want[N];
    static const struct osw_sensitivity_jump jumps[] = {
        {3, 1}, {500, 1}, {998, 1}, {999, -1}};
    const int64_t shape = N, stride = 1;
    const struct osw_tensor_desc desc = {.dtype = OSW_F32,
                                         .ndim = 1,
                                         .strided = true,
                                         .shape = &shape,
                                         .strides = &stride};
    const struct osw_view view = {got, &desc};
    const struct osw_expected expected = {.exact = want};
    const struct osw_tolerance_job job = {.op = &op,
                                          .dtype = osw_dtype_info(OSW_F32),
                                          .centred = true,
                                          .finest = 24,
                                          .terms = 1,
                                          .repeats = 1,
                                          .trial = -1};
    const struct osw_sensitivity s = {.n = N,
                                      .jumps = jumps,
                                      .n_jumps = 4,
                                      .amount = amount,
                                      .growth = growth};
    static const struct {
        int64_t at[3];
        int n;
        float value;
        int64_t n_bad, n_jumped;
    } rows[] = {
        {{3, 998, 0}, 2, 1, 0, 2},   /* both where they jump to */
        {{3, 500, 998}, 3, 1, 3, 0}, /* too many */
        {{3, 0, 0}, 1, 2, 1, 0},     /* elsewhere */
        {{4, 0, 0}, 1, 1, 1, 0},     /* one that does not jump */
        {{999, 0, 0}, 1, -1, 0, 1},  /* the last one */
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        struct osw_sensitivity_errors e;

        for (int i = 0; i < N; i++) {
            got[i] = 0;
            amount[i] = -1;
            growth[i] = 1;
        }
        for (int i = 0; i < rows[k].n; i++)
            got[rows[k].at[i]] = rows[k].value;
        assert_true(
            osw_sensitivity_compare(&view, &expected, &s, &job, 24, 1, &e));
        assert_int_equal(e.n_bad, rows[k].n_bad);
        assert_int_equal(e.n_jumped, rows[k].n_jumped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_coarsest_dtype_sets_the_step),
        cmocka_unit_test(every_number_moves_by_one_place_and_back),
        cmocka_unit_test(finer_dtypes_take_the_step_of_the_coarsest),
        cmocka_unit_test(a_level_perturbs_a_part_and_seeds_are_reproducible),
        cmocka_unit_test(sums_react_to_levels_although_steps_go_both_ways),
        cmocka_unit_test(amounts_are_spreads_in_units_of_the_step),
        cmocka_unit_test(levels_tell_how_many_inputs_there_are),
        cmocka_unit_test(noise_far_below_a_step_is_no_reaction),
        cmocka_unit_test(neighbours_make_up_for_few_samples),
        cmocka_unit_test(what_jumps_is_not_smooth),
        cmocka_unit_test(a_pair_of_small_differences_is_no_jump),
        cmocka_unit_test(what_is_curved_does_not_jump),
        cmocka_unit_test(the_rule_by_hand),
        cmocka_unit_test(the_cap_is_a_thousandth_of_the_size),
        cmocka_unit_test(large_errors_and_many_large_errors_are_refused),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(elements_that_jump_are_found),
        cmocka_unit_test(few_elements_may_have_jumped),
    };

    return cmocka_run_group_tests(tests, no_tolerances, NULL);
}

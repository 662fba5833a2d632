/* tests/unit/worker/test_compare.c - outputs against what they should be
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
#include <string.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/compare/compare.h"
#include "worker/judge/inputs/philox.h"

/* clang-format off */
static const struct osw_accept exactly = { .exact = true };
static const struct osw_accept nothing = { .exact = false };
static const struct osw_accept percent = { .rtol = 0.01 };
static const struct osw_accept tenth = { .atol = 0.1 };
static const struct osw_accept anything = { .rtol = INFINITY, .atol = INFINITY };
static const struct osw_accept signs = { .exact = true, .signed_zero = true };
static const struct osw_accept signs_near = { .atol = 0.1, .signed_zero = true };
static const struct osw_accept tiny = { .rtol = 1e-6, .atol = 0.1, .keep_tiny = true };
static const struct osw_accept half = { .atol = 0.51 };
static const struct osw_accept broken = { .rtol = NAN, .atol = NAN };

/* --- single elements --- */

static const struct {
    const char *what;
    enum osw_dtype_id dtype;
    double got, want;
    const struct osw_accept *accept;
    int bad, nan;
} singles[] = {
    { "equal",                        OSW_F32, 1, 1,             &nothing, 0, 0 },
    { "within rtol",                  OSW_F32, 100.9, 100,       &percent, 0, 0 },
    { "rtol is of what is wanted",    OSW_F64, 101.005, 100,     &percent, 1, 0 },
    { "beyond rtol",                  OSW_F32, 101.1, 100,       &percent, 1, 0 },
    { "the other side of it",         OSW_F32, 98.9, 100,        &percent, 1, 0 },
    { "within atol",                  OSW_F32, 0.09, 0,          &tenth,   0, 0 },
    { "beyond atol",                  OSW_F32, 0.11, 0,          &tenth,   1, 0 },
    { "rounded to the dtype",         OSW_F32, (double)0.1f, 0.1, &nothing, 0, 0 },
    { "one place off",                OSW_F32, 0x1.99999cp-4, 0.1, &nothing, 1, 0 },
    { "rounded, and no more",         OSW_F32, (double)0.1f, 0.1, &exactly, 0, 0 },
    { "exact is not tolerant",        OSW_F32, 1.0001, 1,        &exactly, 1, 0 },
    { "halfway goes to even",         OSW_F16, 2048, 2049,       &exactly, 0, 0 },
    { "halfway goes not to odd",      OSW_F16, 2050, 2049,       &exactly, 1, 0 },
    { "bf16 rounded",                 OSW_BF16, 256, 257,        &exactly, 0, 0 },
    { "bf16 rounded up",              OSW_BF16, 260, 259,        &exactly, 0, 0 },
    { "minus zero",                   OSW_F32, -0.0, 0.0,        &exactly, 0, 0 },
    { "overflow to infinity",         OSW_F16, INFINITY, 70000,  &exactly, 0, 0 },
    { "overflow, tolerant",           OSW_F16, INFINITY, 70000,  &percent, 0, 0 },
    { "largest, where it overflows",  OSW_F16, 65504, 70000,     &percent, 1, 0 },
    { "infinity for a number",        OSW_F16, INFINITY, 60000,  &anything, 1, 0 },
    { "number for an infinity",       OSW_F32, 1e38, INFINITY,   &anything, 1, 0 },
    { "infinities",                   OSW_F32, INFINITY, INFINITY, &exactly, 0, 0 },
    { "infinities, tolerant",         OSW_F64, -INFINITY, -INFINITY, &percent, 0, 0 },
    { "the other infinity",           OSW_F32, -INFINITY, INFINITY, &anything, 1, 0 },
    { "NaN for a number",             OSW_F32, NAN, 1,           &anything, 1, 1 },
    { "NaN for an infinity",          OSW_F32, NAN, INFINITY,    &anything, 1, 1 },
    { "number for NaN",               OSW_F32, 1, NAN,           &anything, 1, 1 },
    { "infinity for NaN",             OSW_F32, INFINITY, NAN,    &anything, 1, 1 },
    { "NaNs",                         OSW_F32, NAN, NAN,         &exactly, 0, 0 },
    { "NaNs, tolerant",               OSW_BF16, NAN, NAN,        &percent, 0, 0 },
    { "a tolerance of NaN is 0",      OSW_F32, 1.5, 1,           &broken,  1, 0 },
    { "subnormal, rounded",           OSW_F16, 0x1p-24, 0x1.4p-24, &exactly, 0, 0 },
    { "subnormal, wrong",             OSW_F16, 0x1p-23, 0x1.4p-24, &exactly, 1, 0 },
    { "subnormal, within rtol",       OSW_F16, 0x1.4p-20, 0x1p-20, &percent, 0, 0 },
    { "subnormal, beyond rtol",       OSW_F16, 0x1.bp-20, 0x1p-20, &percent, 1, 0 },
    { "subnormal for 0",              OSW_F16, 0x1p-24, 0,       &percent, 1, 0 },
    { "underflow",                    OSW_F32, 0, 0x1p-160,      &exactly, 0, 0 },
    { "f64 subnormal",                OSW_F64, 0x1p-1074, 0x1p-1074, &exactly, 0, 0 },
    { "f64 subnormal, one off",       OSW_F64, 0x1p-1073, 0x1p-1074, &exactly, 1, 0 },
    { "f64 largest",                  OSW_F64, DBL_MAX, DBL_MAX, &exactly, 0, 0 },
    { "f64 largest, within rtol",     OSW_F64, 0x1.fffp1023, DBL_MAX, &percent, 0, 0 },
    { "f64 one off",                  OSW_F64, 0x1.0000000000001p0, 1, &exactly, 1, 0 },
    { "int from a double",            OSW_I32, -7, -7,           &nothing, 0, 0 },
    { "int, cut off",                 OSW_I32, 7, 7.9,           &nothing, 0, 0 },
    { "int, off by one",              OSW_I32, 8, 7,             &percent, 1, 0 },
    { "int that cannot be",           OSW_I8, 44, 300,           &nothing, 1, 0 },
    { "int from NaN",                 OSW_I64, 0, NAN,           &nothing, 1, 0 },
    { "int from infinity",            OSW_I64, 0, INFINITY,      &nothing, 1, 0 },
    { "int, rounded",                 OSW_I8, 8, 7.501,          &half,    0, 0 },
    { "int, rounded the other way",   OSW_I8, 7, 7.501,          &half,    0, 0 },
    { "int, cut off, not rounded",    OSW_I8, 7, 7.52,           &half,    1, 0 },
    { "int, within rtol",             OSW_I32, -1010, -1000,     &percent, 0, 0 },
    { "int, beyond rtol",             OSW_I32, -1011, -1000,     &percent, 1, 0 },
    { "int that cannot be, tolerant", OSW_I8, 127, 128,          &anything, 1, 0 },
    { "int from NaN, tolerant",       OSW_I8, 0, NAN,            &anything, 1, 0 },
    { "minus zero for zero",          OSW_F32, -0.0, 0.0,        &signs,   1, 0 },
    { "zero for minus zero",          OSW_F64, 0.0, -0.0,        &signs,   1, 0 },
    { "minus zero for minus zero",    OSW_BF16, -0.0, -0.0,      &signs,   0, 0 },
    { "minus zero, within atol",      OSW_F16, -0.0, 0.0,        &signs_near, 1, 0 },
    { "minus zero for underflow",     OSW_F32, -0.0, 0x1p-160,   &signs,   1, 0 },
    { "minus zero for a number",      OSW_F32, -0.0, 0.01,       &signs_near, 0, 0 },
    { "sign of an integer's zero",    OSW_I32, 0, -0.0,          &signs,   0, 0 },
    { "tiny, lost",                   OSW_F32, 0, 0x1p-124,      &tiny,    1, 0 },
    { "tiny, lost to atol",           OSW_F32, 0, 0x1p-124,      &tenth,   0, 0 },
    { "tiny, another one",            OSW_BF16, 0x1p-62, 0x1p-63, &tiny,   1, 0 },
    { "tiny, its other sign",         OSW_F64, -0x1p-62, 0x1p-62, &tiny,   1, 0 },
    { "tiny, nearly",                 OSW_F64, 0x1.1p-1020, 0x1p-1020, &tiny, 0, 0 },
    { "subnormal, flushed",           OSW_F32, 0, 0x1p-127,      &tiny,    0, 0 },
    { "nearly subnormal, flushed",    OSW_F32, 0, 0x1.cp-126,    &tiny,    0, 0 },
    { "f16 has no tiny numbers",      OSW_F16, 0, 0x1p-13,       &tiny,    0, 0 },
    { "a difference of ones, lost",   OSW_F64, 0, 0x1p-53,       &tiny,    0, 0 },
    { "bool",                         OSW_B8, 1, 1,              &nothing, 0, 0 },
    { "bool, wrong",                  OSW_B8, 0, 1,              &nothing, 1, 0 },
};
/* clang-format on */

/* At `at` in a vector of n right values. */
static void compare_one_among(size_t row, int64_t n, int64_t at)
{
    struct osw_errors e;
    struct tensor got;
    double *want = calloc((size_t)n, sizeof(*want));
    struct osw_expected expected = {.exact = want};

    tensor_vector(&got, singles[row].dtype, n);
    tensor_set(&got, at, singles[row].got);
    want[at] = singles[row].want;
    osw_compare(&got.view, &expected, singles[row].accept, &e);
    assert_int_equal(e.n_elem, n);
    assert_int_equal(e.n_bad, singles[row].bad);
    assert_int_equal(e.n_nan, singles[row].nan);
    assert_int_equal(e.first_bad, singles[row].bad ? at : -1);
    assert_int_equal(
        osw_compare_passes(&got.view, &expected, singles[row].accept),
        !singles[row].bad);
    tensor_free(&got);
    free(want);
}

static void single_elements_are_judged_by_the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(singles); i++) {
        print_message("  case: %s\n", singles[i].what);
        compare_one_among(i, 1, 0);
        compare_one_among(i, 256, 255);
        compare_one_among(i, 1000, 300);
        compare_one_among(i, 1000, 999);
    }
}

/* --- against the rule, written down once more --- */

static bool is_good(enum osw_dtype_id dtype, double got, double want,
                    const struct osw_accept *a)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)dtype);
    unsigned char stored[16] = {0};
    double rounded;

    osw_store(info->dl, stored, want);
    rounded = osw_load(info->dl, stored);
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (got == rounded)
        return true;
    return !a->exact && isfinite(got) && isfinite(want) &&
           fabs(got - want) <= a->atol + a->rtol * fabs(want);
}

/* n pairs of nearly equal numbers, some of them off, few of them special. */
static void make_pairs(struct tensor *got, double *want, int64_t n, bool hard)
{
    static const double odd[] = {NAN,  INFINITY, -INFINITY, 0,
                                 -0.0, 1e-42,    1e30};

    for (int64_t i = 0; i < n; i++) {
        struct osw_philox p = osw_philox_element(1, 2, 3, (uint64_t)i);
        double off = (double)(p.w[1] % 4096) * 0x1p-12;

        want[i] = ((double)p.w[0] - 0x1p31) * 0x1p-30;
        tensor_set(got, i, want[i] * (1 + 0x1p-10 * off * off * off * off));
        if (hard && p.w[2] % 50 == 0)
            want[i] = odd[p.w[3] % N_ELEM(odd)];
        if (hard && p.w[2] % 70 == 0)
            tensor_set(got, i, odd[p.w[3] / 7 % N_ELEM(odd)]);
    }
}

static void check_counts(const struct tensor *got, const double *want,
                         int64_t n, const struct osw_accept *accept)
{
    struct osw_expected expected = {.exact = want};
    struct osw_errors e;
    int64_t n_bad = 0, first = -1;
    double max_abs = 0, max_rel = 0, sum_sq = 0;

    osw_compare(&got->view, &expected, accept, &e);
    for (int64_t i = 0; i < n; i++) {
        double g = tensor_get(got, i), err = fabs(g - want[i]);

        if (!is_good(got->desc.dtype, g, want[i], accept)) {
            n_bad++;
            first = first < 0 ? i : first;
        }
        if (isnan(err) || isinf(err))
            continue;
        max_abs = fmax(max_abs, err);
        sum_sq += err * err;
        if (want[i] != 0)
            max_rel = fmax(max_rel, err / fabs(want[i]));
    }
    assert_int_equal(e.n_bad, n_bad);
    assert_int_equal(e.first_bad, first);
    if (isfinite(e.max_abs)) {
        assert_true(e.max_abs == max_abs);
        assert_true(e.max_rel == max_rel);
        assert_true(fabs(e.sum_sq - sum_sq) <= 1e-12 * sum_sq);
    }
}

static void whole_tensors_are_judged_by_the_rule(void **state)
{
    enum { N = 5000 };
    static const enum osw_dtype_id dtypes[] = {OSW_F64, OSW_F32, OSW_F16,
                                               OSW_BF16};
    static const struct osw_accept accepts[] = {{.exact = true},
                                                {.rtol = 1e-3, .atol = 1e-5},
                                                {.rtol = 1e-4},
                                                {.atol = 0}};
    double *want = calloc(N, sizeof(*want));

    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++)
        for (int hard = 0; hard < 2; hard++) {
            struct tensor got;

            tensor_vector(&got, dtypes[d], N);
            make_pairs(&got, want, N, hard);
            for (size_t a = 0; a < N_ELEM(accepts); a++)
                check_counts(&got, want, N, &accepts[a]);
            tensor_free(&got);
        }
    free(want);
}

/* --- errors --- */

static void errors_are_those_worked_out_by_hand(void **state)
{
    static const double wants[] = {1, 4, 0, -2};
    static const double gots[] = {1.5, 3, 0.25, -2};
    struct osw_expected expected = {.exact = wants};
    struct osw_errors e;
    struct tensor got;

    (void)state;
    tensor_vector(&got, OSW_F32, 4);
    for (int64_t i = 0; i < 4; i++)
        tensor_set(&got, i, gots[i]);
    for (int loose = 0; loose < 2; loose++) { /* all good, and not */
        struct osw_accept accept = {.atol = loose ? 1 : 0.3};

        osw_compare(&got.view, &expected, &accept, &e);
        assert_int_equal(e.n_bad, loose ? 0 : 2);
        assert_true(e.max_abs == 1);
        assert_true(e.max_rel == 0.5);
        /* at 0 the last place is 2^-149: 0.25 are 2^147 of them */
        assert_true(e.max_ulp == 0x1p147);
        assert_true(e.sum_sq == 0.25 + 1 + 0.0625);
    }
    tensor_free(&got);
}

static const struct {
    enum osw_dtype_id dtype;
    double got, want, ulps;
} places[] = {
    {OSW_F32, 0x1.000002p0, 1, 1},
    {OSW_F32, 0x1.fffffep-1, 1, 0.5},
    {OSW_F16, 1.5, 1, 512},
    {OSW_F16, 0x1p-23, 0x1p-24, 1},
    {OSW_BF16, 3, 2, 64},
    {OSW_F64, 0x1.0000000000003p5, 0x1p5, 3},
    {OSW_F64, 0x1p-1072, 0x1p-1074, 3},
    {OSW_F64, 0x1.8p1023, 0x1p1023, 0x1p51},
    {OSW_C64, 0x1.000002p0, 1, 1},
};

static void last_places_are_those_of_the_dtype(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(places); i++) {
        struct tensor got, want;
        struct osw_expected expected = {.exact = NULL};
        struct osw_errors e;

        print_message("  row %zu\n", i);
        tensor_vector(&got, places[i].dtype, 1);
        tensor_vector(&want, places[i].dtype, 1);
        tensor_set(&got, 0, places[i].got);
        tensor_set(&want, 0, places[i].want);
        expected.view = want.view;
        osw_compare(&got.view, &expected, &anything, &e);
        assert_true(e.max_ulp == places[i].ulps);
        tensor_free(&got);
        tensor_free(&want);
    }
}

/* --- norms --- */

/* clang-format off */
static const struct osw_accept hundredth_of_norm = { .ntol = 0.01 };
static const struct osw_accept of_all = { .rtol = 0.25, .atol = 0.25, .ntol = 0.25 };
static const struct osw_accept named_too = { .rtol = 0.25, .atol = 2, .ntol = 0x1p-20 };
static const struct osw_accept exact_by_norm = { .ntol = 1, .exact = true };
static const struct osw_accept no_number = { .ntol = NAN };
static const struct osw_accept infinite = { .ntol = INFINITY };

static const struct {
    const char *what;
    double got, want, norm;
    const struct osw_accept *accept;
    int bad;
} norms[] = {
    { "within ntol of the norm",       1.5, 1, 50,         &hundredth_of_norm, 0 },
    { "beyond it",                     1.75, 1, 50,        &hundredth_of_norm, 1 },
    { "no norm, no tolerance",         1.5, 1, 0,          &hundredth_of_norm, 1 },
    { "tolerances add up",             6, 4, 3,            &of_all,            0 },
    { "and no further",                6.125, 4, 3,        &of_all,            1 },
    { "a named one beside a norm",     6.5, 4, 3,          &named_too,         0 },
    { "the same beyond it",            7.5, 4, 3,          &named_too,         1 },
    { "what the norm allows alone",    9, 0, 0x1p24,       &named_too,         0 },
    { "exact",                         1.5, 1, 50,         &exact_by_norm,     1 },
    { "a tolerance of NaN is 0",       1.5, 1, 50,         &no_number,         1 },
    { "an infinite one is large",      1e9, 1, 1e9,        &infinite,          0 },
    { "but not for an infinity",       INFINITY, 1, 1e300, &infinite,          1 },
    { "NaN is no norm",                1.5, 1, NAN,        &hundredth_of_norm, 1 },
    { "infinity is no norm",           1.5, 1, INFINITY,   &hundredth_of_norm, 1 },
    { "below 0 is no norm",            1.5, 1, -1000,      &of_all,            0 },
    { "and takes nothing away",        1.75, 1, -1000,     &of_all,            1 },
    { "a huge norm",                   1e30, 1, 1e305,     &hundredth_of_norm, 0 },
    { "NaN for a number",              NAN, 1, 1e300,      &infinite,          1 },
};
/* clang-format on */

static void norm_at(size_t row, int64_t n, int64_t at)
{
    double *values = calloc((size_t)n * 2, sizeof(*values));
    struct osw_expected expected = {.exact = values, .norm = values + n};
    struct osw_errors e;
    struct tensor got;

    tensor_vector(&got, OSW_F32, n);
    tensor_set(&got, at, norms[row].got);
    values[at] = norms[row].want;
    values[n + at] = norms[row].norm;
    osw_compare(&got.view, &expected, norms[row].accept, &e);
    assert_int_equal(e.n_bad, norms[row].bad);
    assert_int_equal(e.first_bad, norms[row].bad ? at : -1);
    tensor_free(&got);
    free(values);
}

static void norms_widen_the_tolerance(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(norms); i++) {
        print_message("  case: %s\n", norms[i].what);
        norm_at(i, 1, 0);
        norm_at(i, 256, 255);
        norm_at(i, 1000, 300);
    }
}

/* Below the smallest normal number f16 has steps of 2^-24, however small the
 * norm: half a step is half an ulp, and counts for no more.
 */
static void small_norms_count_as_the_smallest_normal_number(void **state)
{
    const int64_t shape[] = {512};

    (void)state;
    for (int64_t at = 0; at < 512; at += 511) {
        double want[512] = {0}, norm[512] = {0};
        struct osw_expected expected = {.exact = want, .norm = norm};
        const struct osw_accept rounded = {.ntol = 0x1p-11};
        struct osw_errors e;
        struct tensor got;

        tensor_make(&got, OSW_F16, 1, shape, NULL);
        want[at] = norm[at] = 0x1.8p-24;
        tensor_set(&got, at, 0x1p-23);
        for (int odd = 0; odd < 2; odd++) {
            osw_compare(&got.view, &expected, &rounded, &e);
            assert_int_equal(e.n_norm, 1);
            assert_true(e.max_norm == 0x1p-11);
            assert_true(e.sum_norm_sq == 0x1p-22);
            assert_int_equal(e.n_bad, odd);
            want[256] = 1; /* wrong: its block is looked at closely */
        }
        tensor_free(&got);
    }
}

/* error / norm: 1/4, 1/2, none, 2, none, none */
static void errors_are_held_against_norms(void **state)
{
    static const double gots[] = {1.5, 3, 0.25, -6, 7, NAN};
    static const double wants[] = {1, 4, 0, -2, 7, 7};
    static const double amounts[] = {2, 2, 0, 2, NAN, 1};
    double want[512] = {0}, norm[512] = {0};
    struct osw_expected expected = {.exact = want, .norm = norm};
    struct osw_errors e;
    struct tensor got;

    (void)state;
    memcpy(want, wants, sizeof(wants));
    memcpy(norm, amounts, sizeof(amounts));
    for (int64_t n = 4; n <= 512; n += n == 4 ? 2 : n == 6 ? 250 : 256) {
        tensor_vector(&got, OSW_F32, n);
        for (int64_t i = 0; i < n && i < 6; i++)
            tensor_set(&got, i, gots[i]);
        if (n > 6) { /* all of a block good */
            tensor_set(&got, 5, 7);
            norm[5] = 0;
        }
        osw_compare(&got.view, &expected, &of_all, &e);
        assert_int_equal(e.n_norm, 3);
        assert_true(e.max_norm == 2);
        assert_true(e.sum_norm_sq == 0.0625 + 0.25 + 4);
        assert_true(e.sum_want_sq == 0.25 + 4 + 1);
        tensor_free(&got);
    }
}

/* Blocks at a glance and values one by one come to the same. */
static void norms_count_the_same_at_a_glance_and_closer(void **state)
{
    enum { N = 4096 };
    double *want = calloc(N, sizeof(*want)), *norm = calloc(N, sizeof(*norm));
    struct osw_expected expected = {.exact = want, .norm = norm};
    struct osw_errors loose, strict;
    struct tensor got;

    (void)state;
    tensor_vector(&got, OSW_F16, N);
    make_pairs(&got, want, N, false);
    for (int64_t i = 0; i < N; i++)
        norm[i] = (double)(i % 100);
    osw_compare(&got.view, &expected, &anything, &loose);
    osw_compare(&got.view, &expected, &exactly, &strict);
    assert_int_equal(loose.n_bad, 0);
    assert_true(strict.n_bad > N / 16);
    assert_int_equal(loose.n_norm, N - 41); /* 0 every 100 */
    assert_int_equal(strict.n_norm, loose.n_norm);
    assert_true(loose.max_norm == strict.max_norm);
    assert_true(loose.max_norm > 0);
    assert_true(fabs(loose.sum_norm_sq / strict.sum_norm_sq - 1) < 1e-12);
    assert_true(fabs(loose.sum_want_sq / strict.sum_want_sq - 1) < 1e-12);
    tensor_free(&got);
    free(want);
    free(norm);
}

static void without_norms_nothing_is_held_against_them(void **state)
{
    static const double wants[] = {1, 4};
    static const struct osw_accept accepts[] = {{.ntol = 1},
                                                {.rtol = 1, .ntol = 1}};
    struct osw_expected expected = {.exact = wants};
    struct osw_errors e;
    struct tensor got;

    (void)state;
    tensor_vector(&got, OSW_F32, 2);
    tensor_set(&got, 0, 1.5);
    for (int i = 0; i < 2; i++) {
        osw_compare(&got.view, &expected, &accepts[i], &e);
        assert_int_equal(e.n_bad, i == 0 ? 2 : 0);
        assert_int_equal(e.n_norm, 0);
        assert_true(e.max_norm == 0 && e.sum_norm_sq == 0);
        assert_true(e.sum_want_sq == 0);
    }
    tensor_free(&got);
}

/* --- layouts --- */

static void strided_and_broadcast_tensors_are_read_row_major(void **state)
{
    const int64_t shape[] = {20, 3, 30}, permuted[] = {3, 1, 60};
    const int64_t same_row[] = {0, 30, 1};
    struct tensor got, want, rows;
    struct osw_expected expected = {.exact = NULL};
    struct osw_errors e;

    (void)state;
    tensor_make(&got, OSW_F32, 3, shape, permuted);
    tensor_make(&want, OSW_F32, 3, shape, NULL);
    tensor_make(&rows, OSW_F32, 3, shape, same_row);
    for (int64_t i = 0; i < 1800; i++) {
        tensor_set(&want, i, (double)(i % 90));
        tensor_set(&got, i, (double)(i % 90));
        tensor_set(&rows, i, (double)(i % 90));
    }
    expected.view = want.view;
    assert_true(osw_compare_passes(&got.view, &expected, &exactly));
    assert_true(osw_compare_passes(&rows.view, &expected, &exactly));
    expected.view = got.view;
    assert_true(osw_compare_passes(&want.view, &expected, &exactly));
    tensor_set(&got, 1234, -1);
    osw_compare(&want.view, &expected, &exactly, &e);
    assert_int_equal(e.first_bad, 1234);
    assert_int_equal(e.n_bad, 1);
    tensor_free(&got);
    tensor_free(&want);
    tensor_free(&rows);
}

static void nothing_is_equal_to_nothing(void **state)
{
    struct osw_errors e;
    struct tensor got;
    double none = 0;
    struct osw_expected expected = {.exact = &none};

    (void)state;
    tensor_vector(&got, OSW_F32, 0);
    osw_compare(&got.view, &expected, &exactly, &e);
    assert_int_equal(e.n_elem, 0);
    assert_int_equal(e.n_bad, 0);
    assert_int_equal(e.first_bad, -1);
    tensor_free(&got);
}

/* --- other classes --- */

static void large_integers_are_not_compared_as_doubles(void **state)
{
    struct tensor got, want;
    struct osw_expected expected = {.exact = NULL};
    struct osw_errors e;

    (void)state;
    tensor_vector(&got, OSW_I64, 3);
    tensor_vector(&want, OSW_I64, 3);
    ((int64_t *)got.view.data)[1] = (INT64_C(1) << 53) + 1;
    ((int64_t *)want.view.data)[1] = INT64_C(1) << 53;
    ((int64_t *)got.view.data)[2] = INT64_MAX;
    ((int64_t *)want.view.data)[2] = INT64_MIN;
    expected.view = want.view;
    osw_compare(&got.view, &expected, &nothing, &e);
    assert_int_equal(e.n_bad, 2);
    assert_int_equal(e.first_bad, 1);
    assert_true(e.max_abs == 0x1p64);
    tensor_free(&got);
    tensor_free(&want);
}

/* Whether the expected values are a view or doubles: a byte that is neither 0
 * nor 1 is bad, unless the reference itself left it.
 */
static void bools_are_stored_as_0_or_1(void **state)
{
    static const double doubles[] = {1, 0, 0, 1};
    struct osw_expected expected = {.exact = doubles};
    struct tensor got, want;
    struct osw_errors e;
    char words[80];

    (void)state;
    tensor_vector(&got, OSW_B8, 4);
    tensor_vector(&want, OSW_B8, 4);
    memcpy(got.view.data, "\xff\x00\x01\x01", 4);
    memcpy(want.view.data, "\x01\x00\x00\x01", 4);
    for (int i = 0; i < 2; i++) {
        osw_compare(&got.view, &expected, &exactly, &e);
        assert_int_equal(e.n_bad, 2);
        assert_int_equal(e.first_bad, 0);
        osw_compare_describe(&got.view, &expected, 0, words, sizeof(words));
        assert_string_equal(words,
                            "got 255, expected 1 (a bool is stored as 0 or 1)");
        expected = (struct osw_expected){.view = want.view};
    }
    memcpy(want.view.data, "\xff\x00\xff\x01", 4);
    osw_compare(&got.view, &expected, &exactly, &e);
    assert_int_equal(e.n_bad, 0);
    tensor_free(&got);
    tensor_free(&want);
}

static void complex_numbers_are_bad_in_either_part(void **state)
{
    enum { N = 300 };
    struct tensor got, want;
    struct osw_expected expected = {.exact = NULL};
    struct osw_errors e;
    float *g;

    (void)state;
    tensor_vector(&got, OSW_C64, N);
    tensor_vector(&want, OSW_C64, N);
    g = got.view.data;
    expected.view = want.view;
    g[2 * 7] = 0.05f;      /* good */
    g[2 * 200 + 1] = 0.2f; /* bad */
    g[2 * 299] = 0.3f;     /* bad in both parts: one element */
    g[2 * 299 + 1] = NAN;
    osw_compare(&got.view, &expected, &tenth, &e);
    assert_int_equal(e.n_elem, N);
    assert_int_equal(e.n_bad, 2);
    assert_int_equal(e.n_nan, 1);
    assert_int_equal(e.first_bad, 200);
    tensor_free(&got);
    tensor_free(&want);
}

/* An error is in proportion to the number; of one that is not finite to none.
 */
static void a_part_of_a_complex_number_is_as_good_as_the_number(void **state)
{
    static const struct {
        float want[2], got[2];
        bool bad;
    } cases[] = {
        {{100, 0.001f}, {100, 0.06f}, false},
        {{100, 0.001f}, {100, 12}, true},
        {{3, 4}, {3.4f, 4}, false},
        {{3, 4}, {3, 4.6f}, true},
        {{INFINITY, 1}, {INFINITY, 2}, true},
        {{0, 0}, {0, 0.01f}, true},
        {{1e30f, 1e30f}, {1e30f, 1.1e30f}, false},
    };
    static const struct osw_accept ten_percent = {.rtol = 0.1};
    struct tensor got, want;
    struct osw_expected expected = {.exact = NULL};
    struct osw_errors e;

    (void)state;
    tensor_vector(&got, OSW_C64, 1);
    tensor_vector(&want, OSW_C64, 1);
    expected.view = want.view;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        memcpy(got.view.data, cases[i].got, sizeof(cases[i].got));
        memcpy(want.view.data, cases[i].want, sizeof(cases[i].want));
        osw_compare(&got.view, &expected, &ten_percent, &e);
        assert_int_equal(e.n_bad, cases[i].bad);
        assert_true(cases[i].bad || e.max_allowed <= 1);
    }
    tensor_free(&got);
    tensor_free(&want);
}

static void near_is_within_one_in_128(void **state)
{
    static const double want[] = {1, 0, -2, 4, 0};
    static const double got[] = {1.0078125, 0, 2, 4.0625, 0x1p-20};
    static const bool near[] = {true, true, false, false, false};
    const struct osw_expected expected = {.exact = want};
    struct osw_expected other;
    struct tensor values, complex;

    (void)state;
    tensor_vector(&values, OSW_F16, N_ELEM(got));
    for (size_t i = 0; i < N_ELEM(got); i++) {
        tensor_set(&values, (int64_t)i, got[i]);
        assert_int_equal(
            osw_compare_is_near(&values.view, &expected, (int64_t)i), near[i]);
    }
    tensor_vector(&complex, OSW_C128, 1);
    other = (struct osw_expected){.view = complex.view};
    assert_true(osw_compare_is_near(&complex.view, &other, 0));
    assert_false(osw_compare_is_near(&values.view, &other, 0));
    tensor_free(&values);
    tensor_free(&complex);
}

static void an_element_is_right_by_one_of_two_results(void **state)
{
    static const double exact[] = {1, 1, 1, 1, INFINITY, 0x1p-70, NAN};
    static const double own[] = {2, 2, 2, 2, NAN, 0, NAN};
    static const double got[] = {1, 2, 1.5, NAN, INFINITY, 0x1p-69, NAN};
    const int64_t n = sizeof(got) / sizeof(got[0]);
    struct tensor g, o;

    (void)state;
    tensor_vector(&g, OSW_F32, n);
    tensor_vector(&o, OSW_F32, n);
    for (int64_t i = 0; i < n; i++) {
        tensor_set(&g, i, got[i]);
        tensor_set(&o, i, own[i]);
    }
    /* 1.5, and NaN for a number; what is tiny is right by the 0 alone */
    assert_int_equal(osw_compare_neither(&g.view, exact, &o.view, &tiny), 2);
    tensor_set(&o, 5, 0x1p-70);
    assert_int_equal(osw_compare_neither(&g.view, exact, &o.view, &tiny), 3);
    tensor_free(&g);
    tensor_free(&o);
}

static void words_name_what_was_found_and_expected(void **state)
{
    double want[] = {1, 0.25};
    struct osw_expected expected = {.exact = want};
    struct tensor got, other;
    char words[80];

    (void)state;
    tensor_vector(&got, OSW_F16, 2);
    tensor_set(&got, 1, 1.5);
    osw_compare_describe(&got.view, &expected, 1, words, sizeof(words));
    assert_string_equal(words, "got 1.5, expected 0.25");
    osw_compare_describe(&got.view, &expected, 1, words, 8);
    assert_string_equal(words, "got 1.5");
    tensor_free(&got);

    tensor_vector(&got, OSW_I64, 1);
    tensor_vector(&other, OSW_I64, 1);
    ((int64_t *)got.view.data)[0] = INT64_MAX;
    expected = (struct osw_expected){.view = other.view};
    osw_compare_describe(&got.view, &expected, 0, words, sizeof(words));
    assert_string_equal(words, "got 9223372036854775807, expected 0");
    tensor_free(&got);
    tensor_free(&other);

    tensor_vector(&got, OSW_C128, 1);
    tensor_vector(&other, OSW_C128, 1);
    ((double *)got.view.data)[1] = -2;
    expected.view = other.view;
    osw_compare_describe(&got.view, &expected, 0, words, sizeof(words));
    assert_string_equal(words, "got (0, -2), expected (0, 0)");
    tensor_free(&got);
    tensor_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_elements_are_judged_by_the_rule),
        cmocka_unit_test(whole_tensors_are_judged_by_the_rule),
        cmocka_unit_test(errors_are_those_worked_out_by_hand),
        cmocka_unit_test(last_places_are_those_of_the_dtype),
        cmocka_unit_test(norms_widen_the_tolerance),
        cmocka_unit_test(small_norms_count_as_the_smallest_normal_number),
        cmocka_unit_test(errors_are_held_against_norms),
        cmocka_unit_test(norms_count_the_same_at_a_glance_and_closer),
        cmocka_unit_test(without_norms_nothing_is_held_against_them),
        cmocka_unit_test(strided_and_broadcast_tensors_are_read_row_major),
        cmocka_unit_test(nothing_is_equal_to_nothing),
        cmocka_unit_test(large_integers_are_not_compared_as_doubles),
        cmocka_unit_test(bools_are_stored_as_0_or_1),
        cmocka_unit_test(complex_numbers_are_bad_in_either_part),
        cmocka_unit_test(a_part_of_a_complex_number_is_as_good_as_the_number),
        cmocka_unit_test(near_is_within_one_in_128),
        cmocka_unit_test(an_element_is_right_by_one_of_two_results),
        cmocka_unit_test(words_name_what_was_found_and_expected),
    };

    return cmocka_run_group_tests_name("worker/compare", tests, NULL, NULL);
}

/* tests/unit/judge/test_truncation.c - were results cut off, not rounded?
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include <opsweep/elements.h>

#include "worker/judge/compare/truncation.h"
#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/random_values.h"

enum { N = 4096, LEAST = 1000 };

static double uniform(uint64_t i, uint32_t tensor)
{
    return (double)osw_random_uniform_f32(
        osw_philox_element(5, tensor, 0, i).w[0]);
}

static double as_bf16(double v)
{
    return (double)osw_bf16_to_f32(osw_f32_to_bf16((float)v));
}

/* Towards 0, away from it, and to -infinity. */
static double cut_off(double v)
{
    return (double)osw_f32_from_bits(osw_f32_bits((float)v) & 0xffff0000u);
}

static double raised(double v)
{
    return (double)osw_f32_from_bits((osw_f32_bits((float)v) + 0xffffu) &
                                     0xffff0000u);
}

static double lowered(double v)
{
    return v < 0 ? raised(v) : cut_off(v);
}

static double rounded(double v)
{
    return as_bf16(v);
}

/* [0, 256), by chance. */
static uint32_t any(double v)
{
    return osw_f32_bits((float)v) * 2654435761u >> 24;
}

/* To either side, by chance. */
static double by_chance(double v)
{
    return any(v) < 128 ? cut_off(v) : raised(v);
}

/* Honest arithmetic with a common factor that is rounded: 1 / 3. */
static double by_rounded_factor(double v)
{
    return as_bf16(v * 3 * as_bf16(1.0 / 3));
}

/* In two steps, each rounded. */
static double in_steps(double v)
{
    return as_bf16(as_bf16(v * 0.7) + as_bf16(v * 0.3));
}

/* One in 25 is lost in cancellation. */
static double mostly_cut_off(double v)
{
    return any(v) >= 10 ? cut_off(v) : cut_off(v) * 1.1;
}

/* One in 256 is. */
static double nearly_all_cut_off(double v)
{
    return any(v) >= 1 ? cut_off(v) : cut_off(v) * 1.1;
}

static double usual(int64_t i)
{
    return uniform((uint64_t)i, 1) * 3;
}

static double near_one(int64_t i)
{
    return 1 + fabs(uniform((uint64_t)i, 1)) * 0.9;
}

static double small_integers(int64_t i)
{
    return (double)(i % 255 - 127);
}

static double positive(int64_t i)
{
    return fabs(usual(i));
}

/* Times 2^16 - 2^8: what is rounded off lies to one side. */
static double beside_a_power(int64_t i)
{
    return as_bf16(usual(i)) * 65280;
}

static double half_are_not_finite(int64_t i)
{
    return i % 2 ? usual(i) : i % 4 ? INFINITY : NAN;
}

static double tiny(int64_t i)
{
    return usual(i) * 0x1p-130;
}

static const struct {
    const char *what;
    double (*value)(int64_t i);
    double (*store)(double v);
    int64_t n;
    bool found;
} rows[] = {
    /* clang-format off */
    { "rounded to nearest",           usual,    rounded,            N,     false },
    { "rounded, all positive",        positive, rounded,            N,     false },
    { "cut off",                      usual,    cut_off,            N,     true },
    { "cut off, as few as that",      usual,    cut_off,            LEAST, true },
    { "cut off, fewer",               usual,    cut_off,            LEAST - 1, false },
    { "raised",                       usual,    raised,             N,     true },
    { "lowered, of both signs",       usual,    lowered,            N,     false },
    { "lowered, all positive",        positive, lowered,            N,     true },
    { "to either side by chance",     usual,    by_chance,          N,     false },
    { "a common factor is rounded",   usual,    by_rounded_factor,  N,     false },
    { "rounded in steps",             usual,    in_steps,           N,     false },
    { "times a number beside a power of 2", beside_a_power, rounded, N, false },
    { "some are off by more",         usual,    mostly_cut_off,     N,     false },
    { "few are off by more",          usual,    nearly_all_cut_off, N,     true },
    { "cut off in one binade",        near_one, cut_off,            N,     false },
    { "nothing has to be rounded",    small_integers, cut_off,      N,     false },
    { "half are not finite",          half_are_not_finite, cut_off, N,     true },
    { "below the normal numbers",     tiny,     cut_off,            N,     false },
    /* clang-format on */
};

static void only_what_is_cut_off_is_found(void **state)
{
    static uint16_t got[N];
    static double want[N];

    (void)state;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct osw_truncation t;

        print_message("  %s\n", rows[r].what);
        for (int64_t i = 0; i < rows[r].n; i++) {
            want[i] = rows[r].value(i);
            got[i] = osw_f32_to_bf16((float)rows[r].store(want[i]));
        }
        assert_int_equal(
            osw_truncation_find(OSW_BF16, got, want, rows[r].n, &t),
            rows[r].found);
        if (!rows[r].found)
            continue;
        assert_true(fabs(fabs(t.mean) - 0.5) < 0.1);
        for (int64_t n = 1; n <= rows[r].n; n *= 2)
            assert_true(osw_truncation_is_possible(OSW_BF16, got, want, n, N));
    }
}

static void f16_has_units_of_its_own(void **state)
{
    static uint16_t got[N];
    static double want[N];
    struct osw_truncation t;

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        want[i] = usual(i);
        got[i] = osw_f32_to_f16((float)want[i]);
    }
    assert_false(osw_truncation_find(OSW_F16, got, want, N, &t));
    for (int64_t i = 0; i < N; i++)
        if (fabs((double)osw_f16_to_f32(got[i])) > fabs(want[i]))
            got[i]--;
    assert_true(osw_truncation_find(OSW_F16, got, want, N, &t));
    assert_true(t.mean < -0.45 && t.mean > -0.55);
}

/* Of 65,536 elements 656 off to either side are enough. */
static void few_elements_tell_that_all_are_rounded(void **state)
{
    static uint16_t got[N];
    static double want[N];

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        want[i] = usual(i);
        got[i] = osw_f32_to_bf16((float)rounded(want[i]));
    }
    assert_true(osw_truncation_is_possible(OSW_BF16, got, want, 655, 1 << 16));
    assert_true(osw_truncation_is_possible(OSW_BF16, got, want, N, 1 << 30));
    assert_false(osw_truncation_is_possible(OSW_BF16, got, want, N, 1 << 16));
}

static void only_16_bits_show_it(void **state)
{
    (void)state;
    assert_true(osw_truncation_is_seen(OSW_F16));
    assert_true(osw_truncation_is_seen(OSW_BF16));
    assert_false(osw_truncation_is_seen(OSW_F32));
    assert_false(osw_truncation_is_seen(OSW_F64));
    assert_false(osw_truncation_is_seen(OSW_I16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_cut_off_is_found),
        cmocka_unit_test(f16_has_units_of_its_own),
        cmocka_unit_test(few_elements_tell_that_all_are_rounded),
        cmocka_unit_test(only_16_bits_show_it),
    };

    return cmocka_run_group_tests_name("judge/truncation", tests, NULL, NULL);
}

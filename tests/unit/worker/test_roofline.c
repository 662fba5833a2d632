/* tests/unit/worker/test_roofline.c - the least time that a call can take */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "worker/judge/timing/roofline.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

#define F16 OSW_ARITHMETIC_F16
#define F64 OSW_ARITHMETIC_F64

static void least_times_by_table(void **state)
{
    static const struct {
        const char *what;
        uint64_t cache;
        double roof, bytes, cold, flops, peak_f64, peak_f16;
        enum osw_arithmetic widest;
        double ns; /* NaN: not known */
    } rows[] = {
        /* clang-format off */
        { "bytes that caches cannot hold", 1000, 2e9, 5000,    0,   0,   0,    0, F16, 2000 },
        { "bytes that they can",           5000, 2e9, 5000,    0,   0,   0,    0, F16, NAN },
        { "bytes that they hold, but did not", 5000, 2e9, 5000, 3000, 0, 0,    0, F16, 1500 },
        { "fewer than caches cannot hold", 1000, 2e9, 5000, 3000, 0, 0,      0, F16, 2000 },
        { "caches of unknown size",            0, 2e9, 5000,    0,   0,   0,    0, F16, NAN },
        { "a roof that is not known",       1000,   0, 5000,    0,   0,   0,    0, F16, NAN },
        { "operations",                    1000,   0, 5000,    0, 600, 1e9, 4e9, F16, 150 },
        { "operations on f64",             1000,   0, 5000,    0, 600, 1e9, 4e9, F64, 600 },
        { "units that are not known",       1000,   0, 5000,    0, 600,   0,   0, F16, NAN },
        { "longer for bytes",              1000, 2e9, 5000,    0, 600, 1e9, 4e9, F16, 2000 },
        { "longer for operations",         1000, 2e9, 1200,    0, 600, 1e9, 4e9, F16, 150 },
        { "operations, unknown caches",       0, 2e9, 5000,    0, 600, 1e9, 4e9, F16, 150 },
        { "unknown number of operations",   1000, 2e9, 5000,    0, NAN, 1e9, 4e9, F16, 2000 },
        { "unknown number of bytes",        1000, 2e9,  NAN,    0, 600, 1e9, 4e9, F16, 150 },
        { "nothing",                       1000, 2e9,    0,    0,   0, 1e9, 4e9, F16, NAN },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_device dev = {
            .cache_bytes = rows[i].cache,
            .peak_flops = {[OSW_ARITHMETIC_F64] = rows[i].peak_f64,
                           [OSW_ARITHMETIC_F16] = rows[i].peak_f16}};
        double ns =
            osw_roofline_ns(&dev, rows[i].roof, rows[i].bytes, rows[i].cold,
                            rows[i].flops, rows[i].widest);

        print_message("  case: %s\n", rows[i].what);
        if (isnan(rows[i].ns))
            assert_true(isnan(ns));
        else
            assert_float_equal((float)ns, (float)rows[i].ns, 1e-3f);
    }
}

static void claims_below_a_share_of_light_are_none(void **state)
{
    (void)state;
    assert_true(osw_roofline_allows(1000, 1000));
    assert_true(osw_roofline_allows(901, 1000));
    assert_false(osw_roofline_allows(899, 1000));
    assert_false(osw_roofline_allows(0, 1000));
    assert_true(osw_roofline_allows(0, NAN));
}

/* Copies, however slow, refuse nothing that the memory's peak allows. */
static void what_keeps_to_the_peak_is_allowed_by_table(void **state)
{
    static const struct {
        const char *what;
        double copied, peak; /* GB/s */
        double roof;
    } rows[] = {
        /* clang-format off */
        { "copies as usual",      4600, 5000, 4600 },
        { "copies that others disturbed", 1900, 5000, 4500 },
        { "no copies",               0, 5000, 4500 },
        { "a peak that is not known", 1900, 0, 1900 },
        { "copies above the peak", 5100, 5000, 5100 },
        { "nothing is known",        0,    0,    0 },
        /* clang-format on */
    };
    const struct osw_device dev = {.cache_bytes = 1};

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        double roof =
            osw_roofline_memory(rows[i].copied * 1e9, rows[i].peak * 1e9);
        double ns = osw_roofline_ns(&dev, roof, 1e9, 0, 0, F16);

        print_message("  case: %s\n", rows[i].what);
        assert_float_equal((float)(roof * 1e-9), (float)rows[i].roof, 1e-2f);
        if (rows[i].peak > 0)
            assert_true(osw_roofline_allows(1.001 * 1e9 / rows[i].peak, ns));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_times_by_table),
        cmocka_unit_test(claims_below_a_share_of_light_are_none),
        cmocka_unit_test(what_keeps_to_the_peak_is_allowed_by_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

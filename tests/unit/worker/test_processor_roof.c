/* tests/unit/worker/test_processor_roof.c - the roofline of a processor
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "worker/judge/timing/processor_roof.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define F32       OSW_ARITHMETIC_F32
#define F64       OSW_ARITHMETIC_F64

static const struct osw_processor_roof roof = {
    .rate = {50e9, 40e9, 30e9, 20e9, 10e9},
    .flops = 100e9,
};

static void the_longer_of_bytes_and_operations_counts(void **state)
{
    static const struct {
        const char *what;
        double bytes, flops;
        enum osw_arithmetic widest;
        uint32_t threads;
        double ns; /* NaN: unknown */
    } rows[] = {
        /* clang-format off */
        { "bytes in the smallest cache",  16e3,  0, F32, 1, 320 },
        { "bytes in the next one",        40e3,  0, F32, 1, 1e3 },
        { "bytes in no cache",            1e8,   0, F32, 1, 1e7 },
        { "operations",                     0, 1e3, F32, 1, 10 },
        { "operations in float64",          0, 1e3, F64, 1, 20 },
        { "longer for bytes",             1e3, 1e3, F32, 1, 20 },
        { "longer for operations",        1e3, 1e4, F32, 1, 100 },
        { "threads share bytes",          32e3,  0, F32, 2, 320 },
        { "threads share operations",       0, 1e3, F32, 2, 5 },
        { "bytes that are not known",     NAN, 1e3, F32, 1, 10 },
        { "operations that are not",      1e3, NAN, F32, 1, 20 },
        { "nothing",                        0,   0, F32, 1, NAN },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        double ns = osw_processor_roof_ns(&roof, rows[i].bytes, rows[i].flops,
                                          rows[i].widest, rows[i].threads);

        print_message("  %s: %g\n", rows[i].what, ns);
        assert_true(isnan(rows[i].ns) ? isnan(ns)
                                      : fabs(ns - rows[i].ns) < 1e-6);
    }
}

static void this_machine_has_one(void **state)
{
    struct osw_processor_roof here = {.flops = 0};

    (void)state;
    for (int i = 0; i < OSW_ROOF_FOOTPRINTS; i++) {
        double bytes = (double)osw_roof_footprints[i];

        assert_true(i == 0 || bytes > (double)osw_roof_footprints[i - 1]);
        assert_false(osw_processor_roof_known(&here, 2 * bytes, 2));
        osw_processor_roof_measure(&here, 2 * bytes, 2);
        assert_true(osw_processor_roof_known(&here, 2 * bytes, 2));
        assert_true(here.rate[i] > 0);
        assert_true(i + 1 == OSW_ROOF_FOOTPRINTS || here.rate[i + 1] == 0);
        print_message("  %9.0f B: %.1f GB/s\n", bytes, here.rate[i] * 1e-9);
    }
    assert_true(osw_processor_roof_known(&here, 1e12, 1)); /* the largest */
    assert_true(osw_processor_roof_known(&here, NAN, 0));
    assert_true(here.flops > 0);
    print_message("  %.1f GFLOP/s\n", here.flops * 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longer_of_bytes_and_operations_counts),
        cmocka_unit_test(this_machine_has_one),
    };

    return cmocka_run_group_tests_name("worker/processor_roof", tests, NULL,
                                       NULL);
}

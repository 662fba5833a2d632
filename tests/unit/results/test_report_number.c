/* tests/unit/results/test_report_number.c - numbers with their units */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/report/report_number.h"

static const char *rate(double giga, char *buf, size_t size)
{
    return osw_report_rate(giga, "B", buf, size);
}

static void numbers_have_the_unit_that_fits(void **state)
{
    static const struct {
        const char *(*put)(double value, char *buf, size_t size);
        double value;
        const char *want;
    } cases[] = {
        {osw_report_duration, 1.234, "1.23 ns"},
        {osw_report_duration, 12345, "12.3 us"},
        {osw_report_duration, 123456789, "123 ms"},
        {osw_report_duration, 5e9, "5.00 s"},
        {osw_report_duration, NAN, "n/a"},
        {osw_report_factor, 1.8, "1.80x"},
        {osw_report_factor, 0.001, "<0.01x"},
        {osw_report_percent, 0.614, "61 %"},
        {osw_report_percent, 0.004, "0.4 %"},
        {osw_report_percent, 50, ">999 %"},
        {rate, 12.34, "12.3 GB/s"},
        {rate, 4567, "4.57 TB/s"},
        {rate, 0.012, "12 MB/s"},
        {osw_report_allowed, 0, "exact"},
        {osw_report_allowed, 0.3, "0.3 of allowed"},
        {osw_report_allowed, 0.02, "0.02 of allowed"},
        {osw_report_allowed, 1e-9, "<0.01 of allowed"},
        {osw_report_allowed, 250, "250 of allowed"},
        {osw_report_allowed, 3e5, ">999 of allowed"},
        {osw_report_allowed, NAN, "-"},
    };
    char buf[32];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(cases[i].put(cases[i].value, buf, sizeof(buf)),
                            cases[i].want);
}

/* What is allowed is never printed as more, nor what is not as 1. */
static void rounding_crosses_no_limit(void **state)
{
    char buf[32];

    (void)state;
    assert_string_equal(osw_report_allowed(0.99999, buf, sizeof(buf)),
                        "1.0 of allowed");
    assert_string_equal(osw_report_allowed(1.0000001, buf, sizeof(buf)),
                        "1.001 of allowed");
}

static void an_interval_needs_both_ends(void **state)
{
    char buf[64];

    (void)state;
    assert_string_equal(osw_report_interval(1.05, 1.371, buf, sizeof(buf)),
                        " [1.05, 1.37]");
    assert_string_equal(osw_report_interval(0.5, 49, buf, sizeof(buf)),
                        " [0.50, 49.0]");
    assert_string_equal(osw_report_interval(0.5, 51, buf, sizeof(buf)), "");
    assert_string_equal(osw_report_interval(0, 2551, buf, sizeof(buf)), "");
    assert_string_equal(osw_report_interval(1.05, NAN, buf, sizeof(buf)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_unit_that_fits),
        cmocka_unit_test(rounding_crosses_no_limit),
        cmocka_unit_test(an_interval_needs_both_ends),
    };

    return cmocka_run_group_tests_name("results/report_number", tests, NULL,
                                       NULL);
}

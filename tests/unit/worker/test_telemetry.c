/* tests/unit/worker/test_telemetry.c - two samples to what a cell stores */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "worker/device/nvml.h"

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-9;
}

/* A GPU under load, at second s of its life. */
static struct osw_telemetry at(double s)
{
    return (struct osw_telemetry){
        .at_ns = (int64_t)(s * 1e9),
        .sm_mhz = 1755,
        .temperature_c = 54,
        .power_w = 300,
        .energy_mj = (int64_t)(s * 400e3), /* 400 W */
        .reasons = 0,
        .ecc_uncorrected = 0,
        .power_capped_ns = 5000,
        .thermal_ns = 600,
    };
}

/* Of a GPU that no driver shows. */
static void clear(struct osw_telemetry *t)
{
    const struct osw_nvml_gpu none = {NULL, NULL};

    osw_nvml_sample(&none, t);
}

static void a_span_is_the_difference_of_its_ends(void **state)
{
    struct osw_telemetry a = at(1), b = at(3);
    struct osw_telemetry_span s;

    (void)state;
    b.sm_mhz = 1500;
    b.temperature_c = 60;
    b.power_capped_ns = 5100;
    osw_telemetry_between(&a, &b, &s);
    assert_true(same(s.energy_j, 800));
    assert_true(same(s.power_w, 400));
    assert_true(same(s.sm_mhz_after, 1500));
    assert_true(same(s.temperature_c, 60));
    assert_int_equal(s.reasons, OSW_REASON_SW_POWER_CAP);
}

/* The counter of energy is too coarse for a short cell. */
static void a_short_span_takes_the_mean_of_the_power_readings(void **state)
{
    struct osw_telemetry a = at(1), b = at(1.1);
    struct osw_telemetry_span s;

    (void)state;
    b.power_w = 500;
    osw_telemetry_between(&a, &b, &s);
    assert_true(same(s.power_w, 400));
    assert_true(same(s.energy_j, 40));
    a.power_w = NAN;
    osw_telemetry_between(&a, &b, &s);
    assert_true(same(s.power_w, 500));
    b.power_w = NAN;
    osw_telemetry_between(&a, &b, &s);
    assert_true(isnan(s.power_w) && isnan(s.energy_j));
}

static void what_either_end_does_not_know_is_unknown(void **state)
{
    struct osw_telemetry a = at(1), b;
    struct osw_telemetry_span s;

    (void)state;
    clear(&b);
    b.at_ns = a.at_ns + 1000000000;
    osw_telemetry_between(&a, &b, &s);
    assert_true(same(s.energy_j, 300)); /* of one reading */
    assert_true(isnan(s.sm_mhz_after));
    assert_true(same(s.temperature_c, 54));
    assert_int_equal(s.reasons, 0); /* as the first sample saw */
    clear(&a);
    osw_telemetry_between(&a, &b, &s);
    assert_int_equal(s.reasons, -1);
}

/* A driver that was loaded anew counts from 0. */
static void a_counter_that_went_back_is_unknown(void **state)
{
    struct osw_telemetry a = at(10), b = at(12);
    struct osw_telemetry_span s;

    (void)state;
    b.energy_mj = 5;
    osw_telemetry_between(&a, &b, &s);
    assert_true(same(s.power_w, 300));
    assert_true(same(s.energy_j, 600));
}

static void slowing_reasons_are_told_from_normal_ones(void **state)
{
    static const struct {
        const char *what;
        int64_t before, after, thermal_ns;
        int64_t want;
        bool slows;
    } rows[] = {
        /* clang-format off */
        { "none",               0,     0,     0, 0,     false },
        { "idle, then busy",    0x1,   0,     0, 0x1,   false },
        { "power cap",          0,     0x4,   0, 0x4,   false },
        { "hardware slowdown",  0x8,   0x4,   0, 0xc,   true },
        { "software thermal",   0,     0x20,  0, 0x20,  true },
        { "hardware thermal",   0x40,  0,     0, 0x40,  true },
        { "power brake",        0,     0x80,  0, 0x80,  true },
        { "over in between",    0,     0,     9, 0x20,  true },
        { "one end unknown",    -1,    0x8,   0, 0x8,   true },
        { "both ends unknown",  -1,    -1,    0, -1,    false },
        { "a bit of the future", 0x400, 0,    0, 0x400, false },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_telemetry a = at(1), b = at(2);
        struct osw_telemetry_span s;

        print_message("  case: %s\n", rows[i].what);
        a.reasons = rows[i].before;
        b.reasons = rows[i].after;
        b.thermal_ns += rows[i].thermal_ns;
        osw_telemetry_between(&a, &b, &s);
        assert_int_equal(s.reasons, rows[i].want);
        assert_int_equal(osw_telemetry_slows(s.reasons), rows[i].slows);
    }
}

static void reasons_have_words(void **state)
{
    char text[64], tiny[8];

    (void)state;
    assert_string_equal(osw_telemetry_reasons(0, text, 64), "none");
    assert_string_equal(osw_telemetry_reasons(-1, text, 64), "unknown");
    assert_string_equal(osw_telemetry_reasons(0x5, text, 64),
                        "idle, power cap");
    assert_string_equal(osw_telemetry_reasons(0x1200, text, 64), "0x1200");
    assert_string_equal(osw_telemetry_reasons(0x281, text, 64),
                        "idle, power brake, 0x200");
    assert_string_equal(osw_telemetry_reasons(0x5, tiny, 8), "idle, p");
    assert_string_equal(osw_telemetry_reasons(0x1ff, tiny, 8), "idle, a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_is_the_difference_of_its_ends),
        cmocka_unit_test(a_short_span_takes_the_mean_of_the_power_readings),
        cmocka_unit_test(what_either_end_does_not_know_is_unknown),
        cmocka_unit_test(a_counter_that_went_back_is_unknown),
        cmocka_unit_test(slowing_reasons_are_told_from_normal_ones),
        cmocka_unit_test(reasons_have_words),
    };

    return cmocka_run_group_tests_name("worker/telemetry", tests, NULL, NULL);
}

/* tests/unit/common/test_decimal.c - doubles as text: as printf and strtod do
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"

enum { DRAWN = 20000 };

static uint64_t state = 88172645463325252U;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void check_put(double v, int digits)
{
    char want[OSW_DECIMAL_MAX], got[OSW_DECIMAL_MAX];
    size_t n = osw_decimal_put(got, v, digits);

    snprintf(want, sizeof(want), "%.*g", digits, v);
    if (strcmp(got, want) != 0 || n != strlen(want))
        fail_msg("%%.%dg of %a: found %s (%zu), expected %s", digits, v, got, n,
                 want);
}

static void check(double v)
{
    char want[OSW_DECIMAL_MAX], got[OSW_DECIMAL_MAX];
    size_t n = osw_decimal_shortest(got, v);

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(want, sizeof(want), "%.*g", digits, v);
        if (strtod(want, NULL) == v)
            break;
    }
    if (strcmp(got, want) != 0 || n != strlen(want))
        fail_msg("%a: found %s (%zu), expected %s", v, got, n, want);
    for (int digits = 1; digits <= 17; digits++)
        check_put(v, digits);
}

/* A number, its neighbours, and all of them below zero. */
static void check_around(double v)
{
    const double all[] = {v, nextafter(v, 0), nextafter(v, INFINITY)};

    for (int i = 0; i < 3; i++) {
        check(all[i]);
        check(-all[i]);
    }
}

static void powers_and_their_neighbours(void **arg)
{
    (void)arg;
    for (int e = -330; e <= 308; e++) {
        char text[24];

        snprintf(text, sizeof(text), "1e%d", e);
        check_around(strtod(text, NULL));
    }
    for (int e = -1074; e <= 1023; e++)
        check_around(ldexp(1, e));
    check(0.0);
    check(-0.0);
    check(INFINITY);
    check(-INFINITY);
}

static void decimals_of_few_digits(void **arg)
{
    (void)arg;
    for (int digits = 1; digits <= 16; digits++)
        for (int e = -13; e <= 17; e++)
            for (int i = 0; i < 40; i++) {
                char text[48];

                snprintf(text, sizeof(text), "%llue%d",
                         (unsigned long long)(draw() % 10000000000000000U) %
                             (unsigned long long)pow(10, digits),
                         e - digits);
                check_around(strtod(text, NULL));
            }
    for (int i = 0; i < 3000; i++)
        check_around(i);
}

/* Halves of the last digit are where rounding is not clear. */
static void ties(void **arg)
{
    (void)arg;
    for (int i = 0; i < 20000; i++) {
        double n = (double)(draw() % 1000000);

        check(n + 0.5);
        check((n + 0.5) / 1024);
        check(n * 1e6 + 0.25);
        check(n / 8);
    }
}

static void any_bits(void **arg)
{
    (void)arg;
    for (int i = 0; i < DRAWN; i++) {
        uint64_t bits = draw();
        double v;

        memcpy(&v, &bits, sizeof(v));
        if (!isnan(v))
            check(v);
    }
}

/* Times, ratios, errors: where almost all numbers of a campaign are. */
static void measurements(void **arg)
{
    (void)arg;
    for (int i = 0; i < DRAWN; i++) {
        double u = (double)(draw() >> 11) * 0x1p-53;
        double v = pow(10, 26 * u - 10) * (1 + u);

        check(v);
        check_put((double)(float)v, 9);
    }
}

static void integers(void **arg)
{
    static const uint64_t ends[] = {
        0, 9, 10, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
    char want[OSW_DECIMAL_MAX], got[OSW_DECIMAL_MAX];

    (void)arg;
    for (size_t i = 0; i < DRAWN; i++) {
        uint64_t v =
            i < sizeof(ends) / sizeof(ends[0]) ? ends[i] : draw() >> i % 64;

        snprintf(want, sizeof(want), "%" PRIu64, v);
        assert_int_equal(osw_decimal_u64(got, v), strlen(want));
        assert_string_equal(got, want);
        snprintf(want, sizeof(want), "%" PRId64, (int64_t)v);
        assert_int_equal(osw_decimal_i64(got, (int64_t)v), strlen(want));
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_and_their_neighbours),
        cmocka_unit_test(decimals_of_few_digits),
        cmocka_unit_test(ties),
        cmocka_unit_test(any_bits),
        cmocka_unit_test(measurements),
        cmocka_unit_test(integers),
    };

    return cmocka_run_group_tests_name("common/decimal", tests, NULL, NULL);
}

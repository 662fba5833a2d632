/* tests/unit/results/test_report_html_column.c - columns as the page reads them
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/html/report_html_column.h"

static void floats_are_short(void **state)
{
    static const struct {
        double v;
        int n;
        const char *text;
    } rows[] = {
        {0, 5, "0"},
        {1, 5, "1"},
        {10, 5, "10"},
        {100, 5, "1e2"},
        {12345.4, 5, "12345"},
        {123456, 5, "123460"},
        {1234567, 5, "12346e2"},
        {1.5e9, 5, "15e8"},
        {1.25, 5, "1.25"},
        {123.456, 5, "123.46"},
        {0.125, 5, ".125"},
        {0.012, 5, ".012"},
        {0.00012345, 5, "12345e-8"},
        {4e-300, 5, "4e-300"},
        {-2.5, 5, "-2.5"},
        {1.99996, 5, "2"},
        {1.23456, 4, "1.235"},
        {INFINITY, 5, "inf"},
        {-INFINITY, 5, "-inf"},
        {NAN, 5, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char got[24];

        osw_report_html_column_float(rows[i].v, rows[i].n, got);
        assert_string_equal(got, rows[i].text);
    }
}

/* 5 digits are kept, however large, and what is written is read back. */
static void floats_keep_their_digits(void **state)
{
    (void)state;
    for (int e = -300; e <= 300; e += 3)
        for (int m = 10000; m < 99999; m += 1117) {
            double v = m * pow(10, e);
            char got[24];

            osw_report_html_column_float(v, 5, got);
            assert_true(strlen(got) <= 10);
            assert_true(fabs(strtod(got, NULL) - v) <= 1e-12 * v);
        }
}

static const struct osw_column *column_of(const char *name)
{
    size_t n;
    const struct osw_column *all = osw_record_columns(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    fail_msg("no column %s", name);
    return NULL;
}

static void check(const char *name, const struct osw_record *rows, size_t n,
                  const char *want, int64_t base)
{
    struct osw_report_html_column c;

    osw_report_html_column_init(&c, column_of(name), false);
    for (size_t i = 0; i < n; i++)
        osw_report_html_column_add(&c, &rows[i]);
    osw_report_html_column_end(&c);
    assert_string_equal(osw_text_str(&c.values), want);
    if (c.has_base)
        assert_int_equal(c.base, base);
    osw_report_html_column_free(&c);
}

static void columns_are_packed(void **state)
{
    struct osw_record r[5];

    (void)state;
    for (size_t i = 0; i < 5; i++)
        osw_record_init(&r[i]);
    check("t_median_ns", r, 5, "*5", 0);
    check("t_median_ns", r, 1, "*1", 0);
    check("t_start_ns", r, 2, "*2", 0);
    check("signal", r, 5, "0*5", 0);
    r[0].signal = 11;
    r[4].signal = -1;
    check("signal", r, 5, "11,0*3,-1", 0);
    r[1].t_median_ns = r[2].t_median_ns = 5;
    check("t_median_ns", r, 5, "*1,5*2,*2", 0);
    r[0].cell_key = UINT64_C(0xfedcba9876543210);
    r[1].cell_key = 1;
    check("cell_key", r, 2, "fedcba98765432100000000000000001", 0);
    for (size_t i = 0; i < 5; i++)
        r[i].cell = 7 + i;
    check("cell", r, 5, "0,1*4", 7);
    r[1].t_start_ns = INT64_C(1790000000000000001);
    r[2].t_start_ns = INT64_C(1790000000000000005);
    r[4].t_start_ns = INT64_C(1790000000000000002);
    check("t_start_ns", r, 5, "*1,0,4,,-3", INT64_C(1790000000000000001));
    r[0].throttle = UINT64_MAX;
    check("throttle", r, 2, "18446744073709551615,0", 0);
    r[0].wall_ns = 123456789;
    check("wall_ns", r, 2, "1235e5,0", 0);
}

/* A forged file has any numbers. */
static void differences_wrap(void **state)
{
    struct osw_record r[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        osw_record_init(&r[i]);
    r[0].t_start_ns = INT64_MIN;
    r[1].t_start_ns = INT64_MAX;
    r[2].t_start_ns = INT64_MIN;
    check("t_start_ns", r, 3, "0,-1,1", INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_short),
        cmocka_unit_test(floats_keep_their_digits),
        cmocka_unit_test(columns_are_packed),
        cmocka_unit_test(differences_wrap),
    };

    return cmocka_run_group_tests_name("results/report_html_column", tests,
                                       NULL, NULL);
}

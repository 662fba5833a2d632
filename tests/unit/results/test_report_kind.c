/* tests/unit/results/test_report_kind.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/report/report_kind.h"

static void reasons_that_differ_in_numbers_are_one_kind(void **state)
{
    static const char *const texts[] = {
        "",
        "over work budget: predicted 9.1 s, limit 3 s",
        "no op",
        "over work budget: predicted 12 s, limit 3 s",
        "over work",
        "no op",
        "over work budget",
        "no op: really",
    };
    static const uint32_t want[] = {0, 1, 2, 1, 4, 2, 1, 2};
    uint32_t kinds[8];

    (void)state;
    assert_int_equal(osw_report_kinds(texts, 8, kinds), 0);
    assert_memory_equal(kinds, want, sizeof(want));
    assert_int_equal(osw_report_kind_length(texts[1]), 16);
    assert_int_equal(osw_report_kind_length(texts[2]), 5);
}

static void no_texts_are_fine(void **state)
{
    (void)state;
    assert_int_equal(osw_report_kinds(NULL, 0, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_that_differ_in_numbers_are_one_kind),
        cmocka_unit_test(no_texts_are_fine),
    };

    return cmocka_run_group_tests_name("results/report_kind", tests, NULL,
                                       NULL);
}

/* test_coverage.c - what is missing comes first, and totals add up */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_runner/commands/coverage.h"

/* An operator with so many cases of each kind, each called `calls` times. */
static struct osw_coverage_row row(const char *op, uint64_t calls,
                                   const uint64_t of[OSW_N_COVERAGE],
                                   uint64_t cases)
{
    struct osw_coverage_row r = {.op = op, .all = {1, cases, cases * calls}};

    for (int k = 0; k < OSW_N_COVERAGE; k++)
        r.of[k] = (struct osw_coverage_count){of[k] > 0, of[k], of[k] * calls};
    return r;
}

static void what_is_missing_comes_first(void **state)
{
    /* By enum osw_coverage_kind: cpu, cuda, aten, none. */
    static const uint64_t both[] = {5, 5, 0, 0}, cpu[] = {3, 0, 0, 0},
                          some[] = {4, 4, 2, 0}, none[] = {0, 0, 0, 1},
                          aten[] = {0, 0, 9, 0}, more[] = {8, 8, 0, 0};
    static const char *const order[] = {"aten", "some", "none",
                                        "cpu",  "more", "both"};
    struct osw_coverage_row rows[] = {
        row("both", 1, both, 5), row("cpu", 7, cpu, 3),
        row("some", 2, some, 6), row("none", 3, none, 1),
        row("aten", 1, aten, 9), row("more", 1, more, 8)};
    struct osw_coverage c = {.n = 6, .rows = rows};
    const struct osw_coverage_row *total = &c.total;

    (void)state;
    osw_coverage_finish(&c);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(rows[i].op, order[i]);
    assert_int_equal(total->all.operators, 6);
    assert_int_equal(total->all.cases, 32);
    assert_int_equal(total->all.calls, 5 + 21 + 12 + 3 + 9 + 8);
    assert_int_equal(total->of[OSW_COVERAGE_CPU].operators, 4);
    assert_int_equal(total->of[OSW_COVERAGE_CPU].cases, 20);
    assert_int_equal(total->of[OSW_COVERAGE_CPU].calls, 5 + 21 + 8 + 8);
    assert_int_equal(total->of[OSW_COVERAGE_CUDA].cases, 17);
    assert_int_equal(total->of[OSW_COVERAGE_ATEN].operators, 2);
    assert_int_equal(total->of[OSW_COVERAGE_ATEN].calls, 13);
    assert_int_equal(total->of[OSW_COVERAGE_NONE].calls, 3);
}

static void nothing_is_in_order(void **state)
{
    struct osw_coverage c = {.n = 0};

    (void)state;
    osw_coverage_finish(&c);
    assert_int_equal(c.total.all.cases, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_comes_first),
        cmocka_unit_test(nothing_is_in_order),
    };

    return cmocka_run_group_tests_name("mpi_runner/coverage", tests, NULL,
                                       NULL);
}

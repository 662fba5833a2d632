/* test_progress.c - how far a campaign is, for people */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/ranks/progress.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define S         ((int64_t)1000000000)

static const struct {
    const char *what;
    struct osw_progress_state s;
    unsigned width;
    const char *want;
} rows[] = {
    /* clang-format off */
    { "before the first result", { 0, 0, 200, 0, { 0 }, 3 }, 0,
      "  0 %  0/200 cells  3 workers" },
    { "half of it: ten seconds gone, ten to go",
      { 10 * S, 0.5, 200, 0, { 90, 2, 1, 7, 0 }, 3 }, 0,
      " 50 %  100/200 cells: 90 pass, 2 fail, 1 error, 7 not judged  10/s  0:10 left" },
    { "cells that planning decided do not count for the rate",
      { 10 * S, 0.25, 200, 100, { 20, 0, 0, 100, 0 }, 3 }, 0,
      " 25 %  120/200 cells: 20 pass, 100 not judged  2/s  0:30 left" },
    { "neither do cells of earlier sessions",
      { 10 * S, 0.95, 200, 180, { 190, 0, 0, 0, 0 }, 3, .fraction_before = 0.9 }, 0,
      " 95 %  190/200 cells: 190 pass  1/s  0:10 left" },
    { "hours", { 3600 * S, 0.25, 100, 0, { 10, 0, 0, 0, 0 }, 3 }, 0,
      " 25 %  10/100 cells: 10 pass  0.00278/s  3:00:00 left" },
    { "never 100 % before it is done", { S, 1, 100, 0, { 99, 0, 0, 0, 0 }, 1 }, 0,
      " 99 %  99/100 cells: 99 pass  99/s  0:00 left" },
    { "a case that hangs is named; what is left is not known",
      { 60 * S, 0.99, 100, 0, { 98, 0, 0, 0, 0 }, 2, 2, 35 * S, "scale.default", "slow", 1 }, 0,
      " 99 %  98/100 cells: 98 pass  2 cases running, longest 0:35 (scale.default/slow), time left unknown" },
    { "one case", { 60 * S, 0.99, 100, 0, { 99, 0, 0, 0, 0 }, 2, 1, 75 * S, "mm.default", "plain", 1 }, 0,
      " 99 %  99/100 cells: 99 pass  1 case running, for 1:15 (mm.default/plain), time left unknown" },
    { "before the first result, too", { 60 * S, 0, 9, 0, { 0 }, 3, 3, 60 * S, "mm.default", "plain", 3 }, 0,
      "  0 %  0/9 cells  3 cases running, longest 1:00 (mm.default, 3 cells), time left unknown" },
    { "a long cell among longer ones is no news",
      { 100 * S, 0.5, 4, 0, { 2, 0, 0, 0, 0 }, 1, 1, 35 * S, "a", "b" }, 0,
      " 50 %  2/4 cells: 2 pass  0.02/s  1:40 left" },
    { "neither is a short one at the end",
      { 10 * S, 0.99, 100, 0, { 99, 0, 0, 0, 0 }, 1, 1, 9 * S, "a", "b" }, 0,
      " 99 %  99/100 cells: 99 pass  9.9/s  0:00 left" },
    { "done", { 65 * S, 1, 3, 0, { 1, 1, 0, 0, 1 }, 3 }, 0,
      "100 %  3/3 cells: 1 pass, 1 fail, 1 infra  in 1:05" },
    { "a bar on a terminal", { 10 * S, 0.5, 4, 0, { 2, 0, 0, 0, 0 }, 1 }, 80,
      "[###############...............]  50 %  2/4 cells: 2 pass  0.2/s  0:10 left" },
    { "a small terminal has no bar", { 10 * S, 0.5, 4, 0, { 2, 0, 0, 0, 0 }, 1 }, 50,
      " 50 %  2/4 cells: 2 pass  0.2/s  0:10 left" },
    { "a tiny one cuts", { 10 * S, 0.5, 4, 0, { 2, 0, 0, 0, 0 }, 1 }, 20,
      " 50 %  2/4 cells: 2" },
    { "cheap cells say nothing of the others",
      { 10 * S, 0.00003, 21, 0, { 10, 0, 0, 0, 0 }, 3 }, 0,
      "  0 %  10/21 cells: 10 pass  3 workers" },
    { "nor do those of a session that went on",
      { 10 * S, 0.9004, 21, 9, { 10, 0, 0, 0, 0 }, 3, .fraction_before = 0.9 }, 0,
      " 90 %  10/21 cells: 10 pass  3 workers" },
    /* clang-format on */
};

static void the_line_says_how_far_how_fast_how_long(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        char line[512];
        size_t n;

        print_message("  case: %s\n", rows[i].what);
        n = osw_progress_line(line, sizeof(line), &rows[i].s, rows[i].width);
        assert_string_equal(line, rows[i].want);
        assert_int_equal(n, strlen(line));
    }
}

static void a_line_never_leaves_its_buffer(void **state)
{
    (void)state;
    for (size_t size = 1; size < 100; size++) {
        char *line = malloc(size);

        assert_non_null(line);
        assert_true(osw_progress_line(line, size, &rows[12].s, 80) < size);
        assert_true(strlen(line) < size);
        free(line);
    }
}

/* Without a terminal: whole lines, and seldom. */
static void a_file_gets_lines_every_ten_seconds(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    osw_progress_t *p = osw_progress_create(f, 0);

    (void)state;
    assert_non_null(p);
    osw_progress_show(p, &rows[0].s, 100 * S, false);
    assert_false(osw_progress_due(p, 109 * S));
    assert_true(osw_progress_due(p, 110 * S));
    osw_progress_show(p, &rows[11].s, 110 * S, true);
    fclose(f);
    assert_string_equal(text,
                        "opsweep:   0 %  0/200 cells  3 workers\n"
                        "opsweep: 100 %  3/3 cells: 1 pass, 1 fail, 1 infra  "
                        "in 1:05\n");
    free(text);
    osw_progress_destroy(p);
}

static void a_terminal_gets_one_line_that_is_drawn_over(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    osw_progress_t *p = osw_progress_create(f, 30);

    (void)state;
    assert_non_null(p);
    osw_progress_show(p, &rows[0].s, 100 * S, false);
    assert_false(osw_progress_due(p, 100 * S + S / 10));
    assert_true(osw_progress_due(p, 100 * S + S / 5));
    osw_progress_show(p, &rows[0].s, 101 * S, true);
    fclose(f);
    assert_string_equal(text, "\r  0 %  0/200 cells  3 workers\033[K"
                              "\r  0 %  0/200 cells  3 workers\033[K\n");
    free(text);
    osw_progress_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_says_how_far_how_fast_how_long),
        cmocka_unit_test(a_line_never_leaves_its_buffer),
        cmocka_unit_test(a_file_gets_lines_every_ten_seconds),
        cmocka_unit_test(a_terminal_gets_one_line_that_is_drawn_over),
    };

    return cmocka_run_group_tests_name("mpi_runner/progress", tests, NULL,
                                       NULL);
}

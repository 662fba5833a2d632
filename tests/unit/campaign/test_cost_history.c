/* test_cost_history.c - what ops took in earlier campaigns, against what was
 * predicted
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi_runner/campaign/cost_history.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define HEAD      "opsweep cost history 1\n"

static int parse(osw_cost_history_t *p, const char *text, struct osw_error *err)
{
    *err = (struct osw_error)OSW_ERROR_INIT;
    return osw_cost_history_parse(p, text, strlen(text), err);
}

static void what_is_saved_is_read_again(void **state)
{
    static const char text[] = HEAD "cpu correct\taten.mm.default\t2.5\n"
                                    "cuda correct\taten.mm.default\t9\n"
                                    "cuda correct\taten.relu.default\t0.5\n";
    osw_cost_history_t *p = osw_cost_history_create("cuda correct"), *again;
    char path[] = "/tmp/opsweep-cost_history.XXXXXX", back[512] = "";
    struct osw_cost_history_op *mm, *relu, *new;
    struct osw_error err;
    FILE *f;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(parse(p, text, &err), 0);
    mm = osw_cost_history_op(p, "aten.mm.default");
    relu = osw_cost_history_op(p, "aten.relu.default");
    new = osw_cost_history_op(p, "aten.add.Tensor");
    assert_true(mm->factor == 9 && relu->factor == 0.5 && new->factor == 0);
    mm->took_ns = 30;
    mm->predicted_ns = 10;
    mm->n_cells = 4;
    new->took_ns = 8;
    new->predicted_ns = 2;
    new->n_cells = 1;
    assert_int_equal(osw_cost_history_save(p, path, &err), 0);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(back, 1, sizeof(back) - 1, f) > 0);
    fclose(f);
    assert_string_equal(back, HEAD "cpu correct\taten.mm.default\t2.5\n"
                                   "cuda correct\taten.add.Tensor\t4 2\n"
                                   "cuda correct\taten.mm.default\t3 2.5\n"
                                   "cuda correct\taten.relu.default\t0.5\n");
    again = osw_cost_history_create("cpu correct");
    assert_int_equal(osw_cost_history_load(again, path, &err), 0);
    assert_true(osw_cost_history_op(again, "aten.mm.default")->factor == 2.5);
    unlink(path);
    assert_int_equal(osw_cost_history_load(again, path, &err),
                     0); /* says nothing */
    osw_cost_history_destroy(again);
    osw_cost_history_destroy(p);
}

static void other_lines_are_refused_by_number(void **state)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"opsweep cost history 2\n",
         "line 1: expected 'opsweep cost history 1'"},
        {HEAD "cpu correct\ta\t1\nx\n", "line 3: expected where"},
        {HEAD "a\t1\n", "line 2"},
        {HEAD "cpu\ta\t\n", "line 2"},
        {HEAD "cpu\ta\t-1\n", "line 2"},
        {HEAD "cpu\ta\t0\n", "line 2"},
        {HEAD "cpu\ta\tnan\n", "line 2"},
        {HEAD "cpu\ta\tinf\n", "line 2"},
        {HEAD "cpu\ta\t1x\n", "line 2"},
        {HEAD "cpu\ta\t1 \n", "line 2"},
        {HEAD "cpu\ta\t1 -5\n", "line 2"},
        {HEAD "cpu\ta\t1 5 5\n", "line 2"},
    };
    struct osw_error err;

    (void)state;
    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        osw_cost_history_t *p = osw_cost_history_create("cpu correct");

        print_message("  case: %zu\n", i);
        assert_int_equal(parse(p, wrong[i].text, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, wrong[i].words));
        osw_cost_history_destroy(p);
    }
}

/* Cells of 2,000 ns took 100 times as long: of larger ones the rest is as
 * suggested.  Of `old` no size is known, `fast` is faster everywhere.
 */
static void small_cells_say_little_of_large_ones(void **state)
{
    osw_cost_history_t *p = osw_cost_history_create("cpu correct");
    struct osw_error err;

    (void)state;
    assert_int_equal(parse(p,
                           HEAD "cpu correct\tfast\t0.5 2000\n"
                                "cpu correct\told\t100\n"
                                "cpu correct\tsmall\t100 2000\n",
                           &err),
                     0);
    assert_true(osw_cost_history_op_ns(p, "small", 1000) == 100000);
    assert_true(osw_cost_history_op_ns(p, "small", 2000) == 200000);
    assert_true(osw_cost_history_op_ns(p, "small", 1e9) == 1e9 + 198000);
    assert_true(osw_cost_history_op_ns(p, "old", 1e9) == 1e11);
    assert_true(osw_cost_history_op_ns(p, "fast", 1e9) == 5e8);
    assert_true(osw_cost_history_op_ns(p, "other", 1e9) == 0);
    osw_cost_history_destroy(p);
}

/* Kept in order however they come, and no more of them than there may be. */
static void lines_are_bounded(void **state)
{
    osw_cost_history_t *p = osw_cost_history_create("cpu correct");
    size_t size = (size_t)(OSW_COST_HISTORY_MAX_LINES + 1) * 24, n = 0;
    char *text = malloc(size);
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_non_null(text);
    n = (size_t)snprintf(text, size, HEAD);
    for (int i = OSW_COST_HISTORY_MAX_LINES; i > 0; i--)
        n += (size_t)snprintf(text + n, size - n, "cpu correct\t%06d\t1\n", i);
    assert_int_equal(osw_cost_history_parse(p, text, n, &err), -1);
    assert_non_null(strstr(err.text, "line 20001"));
    assert_true(osw_cost_history_op(p, "000002")->factor == 1);
    assert_true(osw_cost_history_op(p, "000001")->factor == 0);
    free(text);
    osw_cost_history_destroy(p);
}

static void memory_may_end_anywhere(void **state)
{
    static const char text[] = HEAD "cpu correct\tb\t1\ncpu correct\ta\t1\n";
    bool struck = true;

    (void)state;
    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_cost_history_t *p;
        int rc = -1;

        chaos_arm(n);
        p = osw_cost_history_create("cpu correct");
        if (p)
            rc = osw_cost_history_parse(p, text, strlen(text), &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (p && struck)
            assert_int_equal(err.status, OSW_NO_MEMORY);
        osw_cost_history_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_read_again),
        cmocka_unit_test(other_lines_are_refused_by_number),
        cmocka_unit_test(small_cells_say_little_of_large_ones),
        cmocka_unit_test(lines_are_bounded),
        cmocka_unit_test(memory_may_end_anywhere),
    };

    return cmocka_run_group_tests_name("mpi_runner/cost_history", tests, NULL,
                                       NULL);
}

/* tests/unit/mpi_runner/test_generate_judged.c - cells to verdicts and
 * feedback, and which cases are held out
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpi_runner/generate/feedback.h"
#include "mpi_runner/generate/judged.h"
#include "mpi_runner/generate/tasks.h"

static struct osw_judged_cell cell(const char *text, enum osw_state state,
                                   double speedup, const char *reason)
{
    struct osw_judged_cell c = {.case_text = text, .fill = "normal"};

    osw_record_init(&c.record);
    c.record.status_id = (uint8_t)state;
    c.record.reason = reason;
    c.record.output = "printed";
    if (speedup > 0) {
        c.record.speedup = speedup;
        c.record.speedup_lo = speedup / 2;
        c.record.speedup_hi = speedup * 2;
        c.record.t_median_ns = 1000;
        c.record.t_light_ns = 250;
    }
    return c;
}

static void what_counts_as_a_pass(void **state)
{
    struct osw_judged_cell cells[] = {
        cell("a", OSW_STATE_PASS, 2, ""),
        cell("b", OSW_STATE_PASS, 8, ""),
        cell("c", OSW_STATE_UNSUPPORTED, 0, ""),
        cell("d", OSW_STATE_WEAK, 0, ""), /* says nothing of the code */
        cell("e", OSW_STATE_LOST, 0, ""),
        cell("f", OSW_STATE_VALUE, 0, ""),
    };
    struct osw_attempt_verdict v = osw_judged_verdict(cells, 6);

    (void)state;
    assert_int_equal(v.n_planned, 4);
    assert_int_equal(v.n_passed, 2);
    assert_int_equal(v.n_timed, 2);
    assert_true(fabs(v.speedup - 4) < 1e-9);
    assert_true(fabs(v.speedup_lo - 2) < 1e-9);
    assert_true(fabs(v.light - 0.25) < 1e-9);
    assert_false(osw_attempt_right(&v));
    v = osw_judged_verdict(cells, 2);
    assert_true(osw_attempt_right(&v));
    /* One without an interval: the mean has none. */
    cells[1].record.speedup_lo = NAN;
    v = osw_judged_verdict(cells, 2);
    assert_true(v.speedup > 0 && v.speedup_lo == 0 && v.speedup_hi == 0);
    v = osw_judged_verdict(cells, 0);
    assert_false(osw_attempt_right(&v));
}

static void the_failure_that_tells_most(void **state)
{
    struct osw_judged_cell cells[] = {
        cell("skipped", OSW_STATE_SKIPPED, 0, ""),
        cell("wrong", OSW_STATE_VALUE, 0, ""),
        cell("smaller", OSW_STATE_VALUE, 0, ""),
        cell("crash", OSW_STATE_CRASH, 0, ""),
        cell("build", OSW_STATE_BUILD, 0, ""),
        cell("pass", OSW_STATE_PASS, 1, ""),
    };

    (void)state;
    cells[1].record.memory_bytes = 100;
    cells[2].record.memory_bytes = 10;
    assert_string_equal(osw_judged_failure(cells, 6)->case_text, "build");
    assert_string_equal(osw_judged_failure(cells, 4)->case_text, "crash");
    assert_string_equal(osw_judged_failure(cells, 3)->case_text, "smaller");
    assert_string_equal(osw_judged_failure(cells, 1)->case_text, "skipped");
    assert_null(osw_judged_failure(cells + 5, 1));
}

static bool feedback_has(enum osw_state state, const char *reason, bool all,
                         const char *word)
{
    struct osw_judged_cell c = cell("case", state, 0, reason);
    struct osw_attempt a = {.number = 3, .outcome = OSW_OUTCOME_JUDGED};
    const struct osw_feedback f = {.attempt = &a,
                                   .why = "",
                                   .cells = &c,
                                   .n_cells = 1,
                                   .send_output = all};
    struct osw_text t = OSW_TEXT_INIT;
    bool has;

    osw_feedback_add(&f, &t);
    has = strstr(osw_text_str(&t), word) != NULL;
    osw_text_free(&t);
    return has;
}

static void words_of_the_code_stay_here(void **state)
{
    static const char raised[] =
        "returned 2: ValueError: SECRET (relu_g003_0a1b2c3d.py:7, in SECRET)";
    static const char named[] = "returned 2: SECRET: x (SECRET.py:3, in f)";

    (void)state;
    assert_false(feedback_has(OSW_STATE_RETURNED, raised, false, "SECRET"));
    assert_true(feedback_has(OSW_STATE_RETURNED, raised, false, "ValueError"));
    assert_true(feedback_has(OSW_STATE_RETURNED, raised, false, ", line 7\n"));
    assert_false(feedback_has(OSW_STATE_RETURNED, named, false, "SECRET"));
    assert_false(feedback_has(OSW_STATE_RETURNED, named, false, "line"));
    assert_false(feedback_has(OSW_STATE_RETURNED, raised, false, "printed"));
    assert_true(feedback_has(OSW_STATE_RETURNED, raised, true, "SECRET"));
    assert_true(feedback_has(OSW_STATE_RETURNED, raised, true, "printed"));
    assert_false(feedback_has(OSW_STATE_LOAD, "SECRET", false, "SECRET"));
    assert_true(feedback_has(OSW_STATE_VALUE, "got 3", false, "got 3"));
}

static void data_cannot_end_its_fence(void **state)
{
    struct osw_text a = OSW_TEXT_INIT, b = OSW_TEXT_INIT;
    const char *mark;
    char word[32];

    (void)state;
    osw_feedback_add_data("Words", "x\033[2J\001", 100, &a);
    assert_null(strchr(osw_text_str(&a), '\033'));
    assert_null(strchr(osw_text_str(&a), '\001'));
    mark = strstr(osw_text_str(&a), "\ndata ");
    assert_non_null(mark);
    snprintf(word, sizeof(word), "%.17s", mark + 1);
    /* What knows the mark of one text gets another. */
    osw_feedback_add_data("Words", word, 100, &b);
    assert_null(strstr(strstr(osw_text_str(&b), word) + 1, word));
    osw_text_reset(&b);
    osw_feedback_add_data("Words", "0123456789", 4, &b);
    assert_non_null(strstr(osw_text_str(&b), "0123\n... (cut)"));
    osw_text_free(&a);
    osw_text_free(&b);
}

static void folders_are_left_out(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_feedback_add_data("Words",
                          "In file included from /home/me/a/x.c:2:\n"
                          "/home/me/a/x.h:1:2: error: no\n"
                          "y.h:1: fatal error: /home/me/z.h: none\n"
                          "    1 | a = b /c/d;\n"
                          "1 error in the compilation of \"/home/me/x.cu\".\n"
                          "/home/me/",
                          1000, &t);
    assert_null(strstr(osw_text_str(&t), "home"));
    assert_non_null(strstr(osw_text_str(&t), "included from x.c:2:\n"));
    assert_non_null(strstr(osw_text_str(&t), "\nx.h:1:2: error: no\n"));
    assert_non_null(strstr(osw_text_str(&t), "1 | a = b /c/d;\n"));
    assert_non_null(strstr(osw_text_str(&t), "compilation of \"x.cu\".\n"));
    osw_text_free(&t);
}

static void cases_are_held_out_by_seed(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    bool differs = false;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct osw_task_case one[8], two[8];
        struct osw_task a = {.cases = one, .n_cases = 8},
                        b = {.cases = two, .n_cases = 8};

        for (int i = 0; i < 8; i++)
            one[i] = two[i] = (struct osw_task_case){
                .text = names[i], .fill = "", .dtype = "f32", .timed = i == 5};
        osw_tasks_hold_out(&a, 0.25, seed);
        osw_tasks_hold_out(&b, 0.9, seed + 1);
        assert_int_equal(a.n_shown, 6);
        assert_false(one[5].held_out); /* the only one that is timed */
        assert_int_equal(b.n_shown, 1);
        assert_false(two[5].held_out);
        osw_tasks_hold_out(&b, 0, seed);
        for (int i = 0; i < 8; i++)
            two[i].held_out = false;
        osw_tasks_hold_out(&b, 0.25, seed + 1);
        for (int i = 0; i < 8; i++)
            differs = differs || one[i].held_out != two[i].held_out;
    }
    assert_true(differs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts_as_a_pass),
        cmocka_unit_test(the_failure_that_tells_most),
        cmocka_unit_test(words_of_the_code_stay_here),
        cmocka_unit_test(data_cannot_end_its_fence),
        cmocka_unit_test(folders_are_left_out),
        cmocka_unit_test(cases_are_held_out_by_seed),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_judged", tests,
                                       NULL, NULL);
}

/* tests/unit/mpi_runner/test_generate_report.c - scores of generated kernels,
 * and the tables that they are read from */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "results/export/merge.h"
#include "results/report/report_generation.h"
#include "tests/unit/results/fixture.h"

/* X: an attempt of op "a" unless said otherwise. */
static struct osw_generation_attempt attempts[] = {
    {"r",
     "a",
     "g001_x",
     "judged",
     "command",
     "m",
     "c",
     "11",
     .attempt = 1,
     .n_planned = 4,
     .n_passed = 3,
     .n_failed = 1,
     .cost = 0.5,
     .tokens_in = 7,
     .tokens_out = 5,
     .speedup = NAN,
     .speedup_lo = NAN,
     .speedup_hi = NAN,
     .light = NAN,
     .ask_ns = 1500000000,
     .judge_ns = 250000000},
    {"r", "a", "g002_x", "judged", "command", "m", "c", "22", .attempt = 2,
     .n_planned = 4, .n_passed = 4, .n_timed = 2, .speedup = 4, .winner = 1},
    {"r", "a", "", "duplicate", "command", "m", "c", "22", .attempt = 3,
     .twin = 2},
    {"r", "a", "g004_x", "judged", "command", "m", "c", "44", .attempt = 4,
     .parent = 2, .n_planned = 4, .n_passed = 4},
    {"r", "d", "", "failed", "command", "m", "c", "", .attempt = 1},
};
static struct osw_generation_op ops[] = {
    {"r", "a", "plain", "all attempts were made", .n_attempts = 4, .winner = 2,
     .speedup = 4},
    {"r", "b", "plain", "", .winner = 1, .speedup = 1},
    {"r", "c", "aten", "", .speedup = NAN},
    {"r", "d", "plain", "", .n_attempts = 1, .winner = 1, .speedup = NAN},
};
static const struct osw_generation all = {attempts, 5, ops, 4};

static void scores_with_denominators(void **state)
{
    struct osw_generation_scores s = osw_generation_scores_of(&all);
    const struct osw_generation one = {NULL, 0, ops + 3, 1};

    (void)state;
    assert_int_equal(s.n_ops, 4);
    assert_int_equal(s.n_right, 3);
    assert_int_equal(s.n_perf, 3); /* the wrong one as 1.0, not the untimed */
    assert_true(fabs(s.performance - cbrt(4.0)) < 1e-9);
    assert_string_equal(s.baseline, "several");
    assert_int_equal(s.n_above[0], 2); /* 0.5 */
    assert_int_equal(s.n_above[2], 1); /* 1: more than */
    assert_int_equal(s.n_above[4], 1); /* 2 */
    assert_true(isnan(osw_generation_scores_of(&one).performance));
    /* Of a three attempts start from nothing, the duplicate as right as its
     * twin; d has one, which is wrong; b and c have none.
     */
    assert_int_equal(s.pass_at[0].n_ops, 2);
    assert_true(fabs(s.pass_at[0].mean - (2.0 / 3 + 0) / 2) < 1e-12);
    assert_int_equal(s.pass_at[1].n_ops, 1);
    assert_true(fabs(s.pass_at[1].mean - 1) < 1e-12);
    assert_int_equal(s.pass_at[2].n_ops, 0);
    assert_true(isnan(s.pass_at[2].mean));
}

/* Texts of anonymized files are "", and merged runs may have one name. */
static void attempts_are_found_without_texts(void **state)
{
    struct osw_generation_attempt nameless[5];
    struct osw_generation_op nameless_ops[4];
    const struct osw_generation g = {nameless, 5, nameless_ops, 4};
    struct osw_generation_scores want = osw_generation_scores_of(&all), s;

    (void)state;
    memcpy(nameless, attempts, sizeof(nameless));
    memcpy(nameless_ops, ops, sizeof(nameless_ops));
    for (size_t i = 0; i < 5; i++)
        nameless[i].run = nameless[i].op = "";
    for (size_t i = 0; i < 4; i++)
        nameless_ops[i].run = nameless_ops[i].op = "";
    s = osw_generation_scores_of(&g);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(s.pass_at[k].n_ops, want.pass_at[k].n_ops);
        assert_true(s.pass_at[k].mean == want.pass_at[k].mean);
    }
    nameless_ops[0].n_attempts = UINT32_MAX; /* of a stranger: no more rows */
    s = osw_generation_scores_of(&g);
    assert_int_equal(s.pass_at[0].n_ops, 1);
}

static void pass_at_k_by_hand(void **state)
{
    (void)state;
    assert_true(fabs(osw_generation_pass_at(5, 2, 1) - 0.4) < 1e-12);
    assert_true(fabs(osw_generation_pass_at(5, 2, 2) - 0.7) < 1e-12);
    assert_true(fabs(osw_generation_pass_at(5, 0, 3) - 0) < 1e-12);
    assert_true(fabs(osw_generation_pass_at(5, 3, 3) - 1) < 1e-12);
    assert_true(isnan(osw_generation_pass_at(2, 1, 3)));
}

static void lines_name_baseline_and_denominators(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_report_generation_add(&all, &t);
    assert_string_equal(
        osw_text_str(&t),
        "generated    5 attempts at 4 ops in c by command m: 3 judged, 1 "
        "duplicate, 1 failed; 1.5 s of asking, 0.25 s of judging\n"
        "tokens       7 in, 0 read from the cache, 0 written to it, 5 out\n"
        "cost         0.5\n"
        "correctness  0.750  3 of 4 ops with a kernel that passes every cell "
        "of the last campaign\n"
        "performance  1.587  geometric mean of the speedups of 3 ops, those "
        "without a right kernel being 1.0; baseline several\n"
        "fast_0.5     0.500  2 of 4 ops\n"
        "fast_0.8     0.500  2 of 4 ops\n"
        "fast_1       0.250  1 of 4 ops\n"
        "fast_1.5     0.250  1 of 4 ops\n"
        "fast_2       0.250  1 of 4 ops\n"
        "pass@1       0.333  mean over 2 ops with 1 or more attempts that "
        "start from nothing\n"
        "pass@3       1.000  mean over 1 op with 3 or more attempts that start "
        "from nothing\n");
    osw_text_free(&t);
}

/* --- files --- */

static osw_file_t *make_file(struct folder *folder, struct folder *with)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    osw_file_t *file;

    assert_int_equal(folder_make(folder), 0);
    assert_int_equal(folder_make(with), 0);
    run = fixture_start(folder->path, 0, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    if (osw_generation_copy(folder->path, with->path, &all, &err) < 0)
        fail_msg("%s", err.text);
    file = osw_file_open(with->path, &err);
    if (!file)
        fail_msg("%s", err.text);
    return file;
}

static void rows_are_read_as_written(void **state)
{
    struct folder folder, with;
    osw_file_t *file = make_file(&folder, &with), *before;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_generation g;
    struct osw_record r[FIXTURE_CELLS];

    (void)state;
    assert_int_equal(osw_generation_read(file, &g, &err), 0);
    assert_int_equal(g.n_attempts, 5);
    assert_int_equal(g.n_ops, 4);
    assert_string_equal(g.attempts[3].impl, "g004_x");
    assert_int_equal(g.attempts[3].parent, 2);
    assert_int_equal(g.attempts[2].twin, 2);
    assert_int_equal(g.attempts[1].winner, 1);
    assert_true(isnan(g.attempts[0].speedup));
    assert_int_equal(g.attempts[0].ask_ns, 1500000000);
    assert_string_equal(g.ops[2].baseline, "aten");
    assert_true(isnan(g.ops[2].speedup));
    osw_generation_free(&g);
    /* The rest is as it was. */
    assert_int_equal(osw_file_records(file, 0, FIXTURE_CELLS, r, &err), 0);
    assert_int_equal(r[2].status_id, fixture_record(2).status_id);
    osw_file_close(file);
    before = osw_file_open(folder.path, &err);
    assert_non_null(before);
    assert_int_equal(osw_generation_read(before, &g, &err), 0);
    assert_int_equal(g.n_ops, 0);
    assert_int_equal(g.n_attempts, 0);
    osw_file_close(before);
    assert_int_equal(folder_remove(&folder) | folder_remove(&with), 0);
}

static void merged_files_have_the_rows_of_all(void **state)
{
    struct folder folder, with, out;
    osw_file_t *files[2] = {NULL, NULL}, *merged;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_generation g;
    struct osw_merged m;

    (void)state;
    files[1] = make_file(&folder, &with);
    files[0] = osw_file_open(folder.path, &err);
    assert_int_equal(folder_make(&out), 0);
    if (osw_merge(files, 2, OSW_MERGE_AGREEING, out.path, &m, &err) < 0)
        fail_msg("%s", err.text);
    merged = osw_file_open(out.path, &err);
    assert_non_null(merged);
    assert_int_equal(osw_generation_read(merged, &g, &err), 0);
    assert_int_equal(g.n_attempts, 5);
    assert_int_equal(g.n_ops, 4);
    assert_string_equal(g.attempts[4].op, "d");
    osw_generation_free(&g);
    osw_file_close(merged);
    osw_file_close(files[0]);
    osw_file_close(files[1]);
    assert_int_equal(
        folder_remove(&folder) | folder_remove(&with) | folder_remove(&out), 0);
}

static void what_cannot_be_copied_leaves_no_file(void **state)
{
    struct folder folder, with;
    struct osw_error err = OSW_ERROR_INIT;
    char missing[600];

    (void)state;
    osw_file_close(make_file(&folder, &with));
    snprintf(missing, sizeof(missing), "%s/none/x.h5", with.path);
    assert_int_equal(osw_generation_copy(folder.path, missing, &all, &err), -1);
    assert_non_null(strstr(err.text, "cannot write"));
    err = (struct osw_error)OSW_ERROR_INIT;
    snprintf(missing, sizeof(missing), "%s.none", folder.path);
    assert_int_equal(osw_generation_copy(missing, with.path, &all, &err), -1);
    assert_non_null(strstr(err.text, "cannot read"));
    /* A file that has the tables cannot get them once more. */
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_generation_copy(with.path, folder.path, &all, &err),
                     -1);
    assert_non_null(strstr(err.text, "/generation"));
    assert_int_equal(folder_remove(&folder) | folder_remove(&with), 0);
}

/* Tables of a stranger, in which the second or the first column is missing. */
static void damaged_tables_are_refused(void **state)
{
    static const char *const words[] = {"r", "s"};

    (void)state;
    for (int second = 0; second < 2; second++) {
        struct folder folder;
        struct osw_error err = OSW_ERROR_INIT;
        osw_run_t *run;
        osw_store_t *store;
        osw_file_t *file;
        struct osw_generation g;

        assert_int_equal(folder_make(&folder), 0);
        run = fixture_start(folder.path, 0, &err);
        assert_non_null(run);
        assert_int_equal(osw_run_seal(run, true, &err), 0);
        osw_run_close(run);
        store = osw_store_reopen(folder.path, &err);
        assert_non_null(store);
        osw_store_table(store, "/generation", 2);
        if (second)
            osw_store_texts(store, "/generation", "run", "", words, 2);
        assert_int_equal(osw_store_finish(store, &err), 0);
        file = osw_file_open(folder.path, &err);
        assert_non_null(file);
        assert_int_equal(osw_generation_read(file, &g, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, folder.path));
        assert_non_null(
            strstr(err.text, second ? "/generation/op" : "/generation/run"));
        osw_file_close(file);
        assert_int_equal(folder_remove(&folder), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_with_denominators),
        cmocka_unit_test(attempts_are_found_without_texts),
        cmocka_unit_test(pass_at_k_by_hand),
        cmocka_unit_test(lines_name_baseline_and_denominators),
        cmocka_unit_test(rows_are_read_as_written),
        cmocka_unit_test(merged_files_have_the_rows_of_all),
        cmocka_unit_test(damaged_tables_are_refused),
        cmocka_unit_test(what_cannot_be_copied_leaves_no_file),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_report", tests,
                                       NULL, NULL);
}

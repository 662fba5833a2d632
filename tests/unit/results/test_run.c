/* tests/unit/results/test_run.c - a run from its start to its file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "results/file/file.h"
#include "results/journal/replay.h"
#include "tests/unit/results/fixture.h"

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void make_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void a_complete_run_leaves_one_file_alone(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);

    assert_non_null(run);
    assert_true(exists(f->journal));
    assert_false(exists(f->path));
    assert_int_equal(osw_run_n_results(run), 6);
    assert_int_equal(osw_run_n_in_group(run, OSW_GROUP_PASS), 3);
    assert_int_equal(osw_run_n_in_group(run, OSW_GROUP_FAIL), 1);
    assert_int_equal(osw_run_n_in_group(run, OSW_GROUP_ERROR), 1);
    assert_int_equal(osw_run_n_in_group(run, OSW_GROUP_NOT_JUDGED), 1);
    assert_int_equal(osw_run_n_in_group(run, OSW_GROUP_INFRA), 0);
    if (osw_run_seal(run, true, &err))
        fail_msg("%s", err.text);
    osw_run_close(run);
    assert_true(exists(f->path));
    assert_false(exists(f->journal));
}

static void a_link_to_nothing_is_told(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    char want[700];

    assert_int_equal(symlink("nowhere.h5", f->path), 0);
    assert_null(osw_run_create(f->path, &info, false, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    snprintf(want, sizeof(want),
             "'%s' is a link to 'nowhere.h5', which is not there", f->path);
    assert_string_equal(err.text, want);
}

static void an_existing_file_or_journal_is_kept(void **state)
{
    const struct folder *f = *state;
    const char *const in_the_way[] = {f->path, f->journal};
    struct osw_run_info info = fixture_info();

    for (int i = 0; i < 2; i++) {
        struct osw_error err = OSW_ERROR_INIT;
        char want[700];

        make_file(in_the_way[i], "precious");
        assert_null(osw_run_create(f->path, &info, false, &err));
        assert_int_equal(err.status, OSW_BAD_INPUT);
        snprintf(want, sizeof(want),
                 "'%s' exists; use --resume to finish the run, or --force to "
                 "replace it",
                 in_the_way[i]);
        assert_string_equal(err.text, want);
        assert_true(exists(in_the_way[i]));
        assert_int_equal(unlink(in_the_way[i]), 0);
    }
    assert_false(exists(f->path) || exists(f->journal));
}

static void force_replaces_file_and_journal(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 1, &err);

    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run); /* incomplete: file and journal are there */
    assert_true(exists(f->path) && exists(f->journal));
    run = osw_run_create(f->path, &info, true, &err);
    if (!run)
        fail_msg("%s", err.text);
    assert_false(exists(f->path));
    assert_int_equal(osw_run_n_results(run), 0);
    osw_run_close(run);
}

static void force_replaces_no_other_file(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;

    make_file(f->path, "precious");
    assert_null(osw_run_create(f->path, &info, true, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "is no result file"));
    assert_true(exists(f->path));
    assert_false(exists(f->journal));
    assert_int_equal(unlink(f->path), 0);
}

static void force_leaves_the_journal_of_a_living_run(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);

    assert_null(osw_run_create(f->path, &info, true, &err));
    assert_non_null(strstr(err.text, "is held by process"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_true(exists(f->path));
}

static void a_place_that_cannot_be_written_is_told_at_once(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    char in_none[600], plain[600], below_file[620];
    const struct {
        const char *path, *why;
    } cases[] = {
        {"", "no name"},
        {f->dir, "is a folder, expected a file"},
        {in_none, "No such file or directory"},
        {below_file, "Not a directory"},
    };

    snprintf(in_none, sizeof(in_none), "%s/none/run.h5", f->dir);
    snprintf(plain, sizeof(plain), "%s/plain", f->dir);
    make_file(plain, "");
    snprintf(below_file, sizeof(below_file), "%s/run.h5", plain);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_null(osw_run_create(cases[i].path, &info, true, &err));
        assert_int_equal(err.status, OSW_BAD_INPUT);
        if (!strstr(err.text, cases[i].why))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
        assert_non_null(strstr(err.text, cases[i].path));
    }
}

static void an_incomplete_run_keeps_its_journal(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 1 << 2, &err);
    osw_file_t *file;

    assert_int_equal(osw_run_seal(run, true, &err), -1);
    assert_int_equal(err.status, OSW_INCOMPLETE);
    assert_non_null(strstr(err.text, "holds 5 of 6 planned cells"));
    osw_run_close(run);
    assert_true(exists(f->journal));
    err = (struct osw_error)OSW_ERROR_INIT;
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_false(osw_file_info(file)->complete);
    assert_int_equal(osw_file_info(file)->n_results, 5);
    assert_int_equal(osw_file_info(file)->n_planned, 6);
    osw_file_close(file);
}

static void an_incomplete_run_can_go_on_after_a_seal(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 1 << 2, &err);
    struct osw_record r = fixture_record(2);
    struct osw_cell_names names = fixture_names(2);

    assert_int_equal(osw_run_seal(run, false, &err), 0);
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_false(exists(f->journal));
}

static void what_is_no_result_is_refused(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);
    struct osw_cell_names names = fixture_names(0);
    struct osw_record r = fixture_record(0);

    r.cell = 6;
    assert_int_equal(osw_run_result(run, &r, &names, &err), -1);
    assert_string_equal(err.text, "result of cell 6, but 6 are planned");
    r = fixture_record(0);
    r.status_id = 0;
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_run_result(run, &r, &names, &err), -1);
    assert_non_null(strstr(err.text, "status 0"));
    r = fixture_record(0);
    r.sample_n = OSW_RECORD_MAX_SAMPLES + 1;
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_run_result(run, &r, &names, &err), -1);
    assert_non_null(strstr(err.text, "2049 samples"));
    assert_int_equal(osw_run_n_results(run), 6);
    osw_run_close(run);
}

static void what_was_committed_survives_the_process(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);
    struct osw_replay *replay;

    assert_true(osw_run_commit_due(run, INT64_MAX));
    assert_int_equal(osw_run_commit(run, &err), 0);
    assert_false(osw_run_commit_due(run, osw_clock_ns()));
    assert_int_equal(osw_run_event(run, OSW_EVENT_NOTE, -1, 0, "lost", &err),
                     0);
    osw_run_close(run); /* as by kill -9: without a commit */
    replay = osw_replay_load(f->journal, &err);
    assert_non_null(replay);
    assert_int_equal(replay->n_rows, 6);
    assert_int_equal(replay->n_events, 0);
    assert_false(replay->ended);
    osw_replay_destroy(replay);
}

/* Record cell k of the fixture. */
static void add_cell(osw_run_t *run, uint64_t k)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_cell_names names = fixture_names(k);
    struct osw_record r = fixture_record(k);

    if (osw_run_result(run, &r, &names, &err))
        fail_msg("%s", err.text);
}

static void a_run_that_was_cut_off_goes_on_to_the_same_file(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0x15, &err);
    struct osw_record records[FIXTURE_CELLS];
    osw_file_t *file;

    assert_int_equal(osw_run_commit(run, &err), 0);
    osw_run_close(run);
    info.command_line = "opsweep run --resume run.h5";
    info.mpi_size = 9;
    run = osw_run_open(f->path, 0, &info, &err);
    if (!run)
        fail_msg("%s", err.text);
    assert_string_equal(osw_run_uuid(run), info.uuid);
    assert_int_equal(osw_run_n_results(run), 3);
    for (uint64_t k = 0; k < FIXTURE_CELLS; k += 2)
        add_cell(run, k);
    if (osw_run_seal(run, true, &err))
        fail_msg("%s", err.text);
    osw_run_close(run);
    assert_false(exists(f->journal));

    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_true(osw_file_info(file)->complete);
    assert_int_equal(osw_file_info(file)->mpi_size, 3); /* as it began */
    assert_int_equal(osw_file_records(file, 0, FIXTURE_CELLS, records, &err),
                     0);
    for (uint64_t k = 0; k < FIXTURE_CELLS; k++) {
        struct osw_record want = fixture_record(k);

        assert_int_equal(records[k].cell, k);
        assert_int_equal(records[k].status_id, want.status_id);
        assert_string_equal(records[k].reason, want.reason);
        assert_string_equal(
            osw_file_text(file, OSW_DICT_CASE, records[k].case_id),
            fixture_names(k).case_text);
    }
    osw_file_close(file);
}

static void cells_of_group_infra_keep_the_journal(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r = fixture_record(0);
    struct osw_cell_names names = fixture_names(0);
    osw_run_t *run = fixture_start(f->path, 1, &err);

    r.status_id = OSW_STATE_LOST;
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_true(exists(f->path) && exists(f->journal));
    run = osw_run_open(f->path, 0, NULL, &err);
    assert_int_equal(osw_run_n_results(run), 5);
    add_cell(run, 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_false(exists(f->journal));
}

static void a_journal_that_changed_meanwhile_is_not_opened(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);

    assert_null(osw_run_open(f->path, 0, NULL, &err)); /* in use */
    assert_non_null(strstr(err.text, "is held by process"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_run_commit(run, &err), 0);
    osw_run_close(run);
    assert_null(osw_run_open(f->path, 3, NULL, &err));
    assert_non_null(strstr(err.text, "another opsweep wrote to"));
    assert_true(exists(f->journal));
}

/* Recovering changes no journal: every time it makes the same file. */
static void recovering_writes_what_there_is(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 3, &err);

    assert_int_equal(osw_run_commit(run, &err), 0);
    osw_run_close(run);
    for (int i = 0; i < 2; i++) {
        osw_file_t *file;

        run = osw_run_open(f->path, 0, NULL, &err);
        assert_int_equal(osw_run_recover(run, &err), 0);
        osw_run_close(run);
        assert_true(exists(f->journal));
        file = osw_file_open(f->path, &err);
        assert_non_null(file);
        assert_int_equal(osw_file_info(file)->n_results, 4);
        assert_false(osw_file_info(file)->complete);
        osw_file_close(file);
    }
}

/* As by kill -9 while it sealed; what has another name stays. */
static void what_a_killed_seal_left_goes_with_the_next_one(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 0, &err);
    char left[700], other[700];

    snprintf(left, sizeof(left), "%s.tmp.4711", f->path);
    snprintf(other, sizeof(other), "%s.tmp.mine", f->path);
    make_file(left, "half");
    make_file(other, "precious");
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_false(exists(left));
    assert_true(exists(other) && exists(f->path));
}

/* Where a process ends before the journal says what is run, there is none. */
static void what_is_called_a_journal_says_what_is_run(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    char half[700];
    osw_run_t *run;

    snprintf(half, sizeof(half), "%s.new", f->journal);
    assert_int_equal(mkdir(half, 0777), 0); /* as by kill -9 */
    run = osw_run_create(f->path, &info, false, &err);
    if (!run)
        fail_msg("%s", err.text);
    assert_false(exists(half));
    osw_run_close(run);
    run = osw_run_open(f->path, 0, NULL, &err);
    assert_non_null(run);
    osw_run_close(run);
}

static void times_and_texts_are_kept_as_given(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r;
    osw_file_t *file;

    assert_int_equal(fixture_file(f->path, &err), 0);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_int_equal(osw_file_records(file, 4, 1, &r, &err), 0);
    assert_int_equal(r.wall_ns, 7);
    assert_int_equal(r.run_ns + r.verify_ns, 7);
    assert_int_equal(r.build_ns + r.fill_ns + r.reference_ns + r.time_ns, 0);
    assert_int_equal(r.signal, 11);
    assert_string_equal(r.reason, "killed by signal 11");
    assert_string_equal(r.output, "first line\nsecond, \"quoted\"?\n");
    osw_file_close(file);
}

static void a_long_text_is_cut_as_a_message_would(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, 1, &err);
    struct osw_record r = fixture_record(0);
    struct osw_cell_names names = fixture_names(0);
    char *text = malloc(3 * OSW_RECORD_MAX_TEXT);
    osw_file_t *file;

    memset(text, 'x', 3 * OSW_RECORD_MAX_TEXT);
    text[3 * OSW_RECORD_MAX_TEXT - 1] = '\0';
    r.output = text;
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    free(text);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_int_equal(osw_file_records(file, 0, 1, &r, &err), 0);
    assert_int_equal(strlen(r.output), OSW_RECORD_MAX_TEXT - 1);
    assert_string_equal(r.output + OSW_RECORD_MAX_TEXT - 5, "x...");
    osw_file_close(file);
}

static void a_run_without_uuid_gets_one(void **state)
{
    const struct folder *f = *state;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    char first[37];
    osw_run_t *run;

    info.uuid = NULL;
    run = osw_run_create(f->path, &info, false, &err);
    assert_non_null(run);
    snprintf(first, sizeof(first), "%s", osw_run_uuid(run));
    assert_int_equal(strlen(first), 36);
    assert_int_equal(first[14], '4');
    osw_run_close(run);
    run = osw_run_create(f->path, &info, true, &err);
    assert_non_null(run);
    assert_string_not_equal(osw_run_uuid(run), first);
    osw_run_close(run);
}

static void python_reads_the_file_in_three_lines(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char command[700];
    int rc;

    assert_int_equal(fixture_file(f->path, &err), 0);
    snprintf(command, sizeof(command), "tests/shell/h5py_three_lines.sh '%s'",
             f->path);
    rc = system(command);
    if (WEXITSTATUS(rc) == 77)
        skip();
    assert_int_equal(rc, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_complete_run_leaves_one_file_alone),
        T(a_link_to_nothing_is_told),
        T(an_existing_file_or_journal_is_kept),
        T(force_replaces_file_and_journal),
        T(force_replaces_no_other_file),
        T(force_leaves_the_journal_of_a_living_run),
        T(a_place_that_cannot_be_written_is_told_at_once),
        T(an_incomplete_run_keeps_its_journal),
        T(an_incomplete_run_can_go_on_after_a_seal),
        T(what_is_no_result_is_refused),
        T(what_was_committed_survives_the_process),
        T(a_run_that_was_cut_off_goes_on_to_the_same_file),
        T(cells_of_group_infra_keep_the_journal),
        T(a_journal_that_changed_meanwhile_is_not_opened),
        T(recovering_writes_what_there_is),
        T(what_a_killed_seal_left_goes_with_the_next_one),
        T(what_is_called_a_journal_says_what_is_run),
        T(times_and_texts_are_kept_as_given),
        T(a_long_text_is_cut_as_a_message_would),
        T(a_run_without_uuid_gets_one),
        T(python_reads_the_file_in_three_lines),
    };
#undef T

    return cmocka_run_group_tests_name("results/run", tests, NULL, NULL);
}

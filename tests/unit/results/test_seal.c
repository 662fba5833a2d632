/* tests/unit/results/test_seal.c - a journal becomes a file, all or nothing */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>

#include "results/file/file.h"
#include "results/file/seal.h"
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

/* A finished journal, with `n_cells` results in it. */
static void record(const struct folder *f, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, leave_out, &err);

    if (!run || osw_run_event(run, OSW_EVENT_RETRY, 1, 7, "again", &err) ||
        osw_run_commit(run, &err))
        fail_msg("%s", err.text);
    osw_run_close(run);
}

static struct osw_replay *load(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r = osw_replay_load(f->journal, &err);

    if (!r)
        fail_msg("%s", err.text);
    return r;
}

static int shell(const char *format, const char *a, const char *b)
{
    char command[1500];

    snprintf(command, sizeof(command), format, a, b);
    return system(command);
}

static void the_same_journal_gives_the_same_bytes(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;
    char other[600];

    snprintf(other, sizeof(other), "%s/other.h5", f->dir);
    record(f, 0);
    r = load(f);
    assert_int_equal(osw_seal(r, f->path, &err), 0);
    osw_replay_destroy(r);
    r = load(f);
    assert_int_equal(osw_seal(r, other, &err), 0);
    osw_replay_destroy(r);
    assert_int_equal(shell("cmp '%s' '%s'", f->path, other), 0);
}

static void a_journal_without_an_end_is_incomplete(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;
    osw_file_t *file;

    record(f, 0);
    r = load(f);
    assert_false(osw_seal_is_complete(r));
    assert_int_equal(osw_seal(r, f->path, &err), 0);
    osw_replay_destroy(r);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_false(osw_file_info(file)->complete);
    assert_int_equal(osw_file_info(file)->n_results, 6);
    assert_string_equal(osw_file_info(file)->sealed_utc, "");
    osw_file_close(file);
}

static void a_run_without_results_makes_a_readable_file(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;
    osw_file_t *file;

    record(f, 0x3f);
    r = load(f);
    assert_int_equal(r->n_rows, 0);
    if (osw_seal(r, f->path, &err))
        fail_msg("%s", err.text);
    osw_replay_destroy(r);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_int_equal(osw_file_info(file)->n_results, 0);
    osw_file_close(file);
    assert_true(shell("tests/shell/h5py_three_lines.sh '%s' >'%s.log'", f->path,
                      f->path) %
                    (77 * 256) ==
                0);
}

/* The disk is full at any point: no file, no temporary, the journal whole. */
static void a_full_disk_leaves_the_journal_and_nothing_else(void **state)
{
    const struct folder *f = *state;
    struct osw_replay *r;
    struct rlimit old, small;
    int failures = 0;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    record(f, 0);
    r = load(f);
    for (rlim_t bytes = 0;; bytes += 8192) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        small = old;
        small.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        rc = osw_seal(r, f->path, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        if (rc == 0)
            break;
        failures++;
        assert_int_equal(err.status, OSW_SYSTEM);
        assert_non_null(strstr(err.text, f->path));
        assert_int_equal(
            shell("test \"$(ls '%s')\" = run.h5.journal", f->dir, ""), 0);
    }
    assert_true(failures > 3);
    osw_replay_destroy(r);
    r = load(f);
    assert_int_equal(r->n_rows, 6);
    osw_replay_destroy(r);
}

static void a_place_that_is_not_there_is_an_error(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;

    record(f, 0);
    r = load(f);
    assert_int_equal(osw_seal(r, "/nowhere/at/all.h5", &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "/nowhere/at/all.h5"));
    osw_replay_destroy(r);
}

static void a_journal_that_changes_meanwhile_is_noticed(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;

    record(f, 0);
    r = load(f);
    r->rows[2].cell = 77;
    assert_int_equal(osw_seal(r, f->path, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "changed while it was read"));
    assert_int_equal(access(f->path, F_OK), -1);
    osw_replay_destroy(r);
}

/* Results from the first cell on, each with a case and a reason of its own. */
static void add_results(osw_run_t *run, uint64_t first, uint64_t n)
{
    struct osw_error err = OSW_ERROR_INIT;
    char text[40], reason[40];

    for (uint64_t i = first; i < first + n; i++) {
        const struct osw_cell_names names = {"op", "impl", text, "f32",
                                             "",   "n1",   "cpu"};
        struct osw_record r;

        snprintf(text, sizeof(text), "((T([%d], f32),), {})", (int)i);
        snprintf(reason, sizeof(reason), "differs at %d", (int)i);
        osw_record_init(&r);
        r.cell = i;
        r.status_id = OSW_STATE_VALUE;
        r.reason = reason;
        if (osw_run_result(run, &r, &names, &err))
            fail_msg("%s", err.text);
    }
    assert_int_equal(osw_run_commit(run, &err), 0);
}

/* Also those that wait while others are written, and none that is recorded
 * after the journal was loaded.
 */
static void texts_of_cells_come_from_the_journal(void **state)
{
    enum { N = 9000, MORE = 5000 };
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_info info = {.n_planned = N + MORE};
    osw_run_t *run = osw_run_create(f->path, &info, false, &err);
    struct osw_replay *r;
    osw_file_t *file;
    char other[600];

    assert_non_null(run);
    add_results(run, 0, N);
    r = load(f);
    assert_null(osw_dicts_texts(r->dicts, OSW_DICT_CASE));
    add_results(run, N, MORE);
    snprintf(other, sizeof(other), "%s/other.h5", f->dir);
    if (osw_seal(r, other, &err))
        fail_msg("%s", err.text);
    osw_replay_destroy(r);
    file = osw_file_open(other, &err);
    assert_non_null(file);
    assert_int_equal(osw_file_dict_count(file, OSW_DICT_CASE), N + 1);
    assert_int_equal(osw_file_dict_count(file, OSW_DICT_REASON), N + 1);
    assert_string_equal(osw_file_text(file, OSW_DICT_CASE, 0), "");
    assert_string_equal(osw_file_text(file, OSW_DICT_CASE, 4097),
                        "((T([4096], f32),), {})");
    assert_string_equal(osw_file_text(file, OSW_DICT_REASON, N),
                        "differs at 8999");
    osw_file_close(file);
    osw_run_close(run);
}

static void a_journal_that_lost_texts_is_noticed(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;

    record(f, 0);
    r = load(f);
    assert_int_equal(
        shell("truncate -s 5000 '%s'/000000.jnl%s", f->journal, ""), 0);
    assert_int_equal(osw_seal(r, f->path, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    if (!strstr(err.text, "texts of /dict/case, before it had"))
        fail_msg("%s", err.text);
    assert_int_equal(shell("test ! -e '%s'%s", f->path, ""), 0);
    osw_replay_destroy(r);
}

static void an_old_file_is_replaced_at_once(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r;

    record(f, 0);
    r = load(f);
    assert_int_equal(shell("echo old >'%s'%s", f->path, ""), 0);
    assert_int_equal(osw_seal(r, f->path, &err), 0);
    assert_int_equal(shell("head -c 4 '%s' | grep -q HDF%s", f->path, ""), 0);
    osw_replay_destroy(r);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(the_same_journal_gives_the_same_bytes),
        T(a_journal_without_an_end_is_incomplete),
        T(a_run_without_results_makes_a_readable_file),
        T(a_full_disk_leaves_the_journal_and_nothing_else),
        T(a_place_that_is_not_there_is_an_error),
        T(a_journal_that_changes_meanwhile_is_noticed),
        T(texts_of_cells_come_from_the_journal),
        T(a_journal_that_lost_texts_is_noticed),
        T(an_old_file_is_replaced_at_once),
    };
#undef T

    return cmocka_run_group_tests_name("results/seal", tests, NULL, NULL);
}

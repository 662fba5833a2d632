/* tests/unit/results/test_replaces.c - a journal's file and the one that is
 * there
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/file/replaces.h"
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

/* A journal of the fixture's run without the cells of `missing` (a bit each).
 */
static struct osw_replay *make_journal(const struct folder *f, unsigned missing)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[600];
    struct osw_replay *replay;
    osw_run_t *run;

    snprintf(path, sizeof(path), "%s/other.h5", f->dir);
    run = fixture_start(path, missing, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_commit(run, &err), 0);
    replay = osw_replay_load(osw_run_journal(run), &err);
    if (!replay)
        fail_msg("%s", err.text);
    osw_run_close(run);
    return replay;
}

/* `want`: parts of the message; NULL: it may be replaced. */
static void expect(int (*check)(const char *, const struct osw_replay *,
                                struct osw_error *),
                   const struct folder *f, const struct osw_replay *replay,
                   const char *want, const char *also)
{
    struct osw_error err = OSW_ERROR_INIT;
    int rc = check(f->path, replay, &err);

    assert_int_equal(rc, want ? -1 : 0);
    if (!want)
        return;
    assert_int_equal(err.status, OSW_BAD_INPUT);
    if (!strstr(err.text, want) || !strstr(err.text, also))
        fail_msg("%s", err.text);
}

static void no_cell_of_the_file_may_be_lost(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *replay = make_journal(f, 1 << 1 | 1 << 4);

    expect(osw_replaces_whole, f, replay, NULL, NULL); /* there is none */
    assert_int_equal(fixture_file(f->path, &err), 0);
    expect(osw_replaces_whole, f, replay, "holds 6 of 6 cells",
           "only 4: 2 would be lost");
    expect(osw_replaces_same_run, f, replay, NULL, NULL);
    osw_replay_destroy(replay);
}

static void a_journal_that_holds_as_much_may_replace(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *replay = make_journal(f, 0);
    osw_run_t *run = fixture_start(f->path, 1 << 2, &err);

    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    expect(osw_replaces_whole, f, replay, NULL, NULL);
    osw_replay_destroy(replay);
}

static void the_file_of_another_run_stays(void **state)
{
    static const char *const was = "run 01234567-89ab-4cde-8f01-23456789abcd";
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *replay = make_journal(f, 0);

    assert_int_equal(fixture_file(f->path, &err), 0);
    replay->info.uuid = "11111111-2222-4333-8444-555555555555";
    expect(osw_replaces_whole, f, replay, was, replay->info.uuid);
    expect(osw_replaces_same_run, f, replay, was, replay->info.uuid);
    osw_replay_destroy(replay);
}

static void a_file_that_cannot_be_read_may_hold_more(void **state)
{
    const struct folder *f = *state;
    struct osw_replay *replay = make_journal(f, 0);
    FILE *file = fopen(f->path, "w");

    fputs("precious", file);
    fclose(file);
    expect(osw_replaces_whole, f, replay, f->path, "move");
    expect(osw_replaces_same_run, f, replay, NULL, NULL);
    osw_replay_destroy(replay);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_cell_of_the_file_may_be_lost),
        TEST(a_journal_that_holds_as_much_may_replace),
        TEST(the_file_of_another_run_stays),
        TEST(a_file_that_cannot_be_read_may_hold_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/unit/results/test_run_status.c - how far a run is */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/journal/journal.h"
#include "results/report/run_status.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

static const int64_t begin_ns = 1767225600000000000; /* of the fixture */
static const int64_t second = 1000000000;

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

static osw_run_t *record(const struct folder *f, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, leave_out, &err);

    if (!run || osw_run_commit(run, &err))
        fail_msg("%s", err.text);
    return run;
}

static struct osw_run_status load(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_status s;

    if (osw_run_status_load(f->path, begin_ns + 100 * second, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static void a_run_that_goes_on(void **state)
{
    osw_run_t *run = record(*state, 1 << 3);
    struct osw_run_status s = load(*state);

    assert_int_equal(s.phase, OSW_RUN_GOING);
    assert_non_null(strstr(s.who, "process"));
    assert_int_equal(s.n_planned, 6);
    assert_int_equal(s.n_done, 5);
    assert_int_equal(s.n_group[OSW_GROUP_PASS], 2);
    assert_int_equal(s.n_group[OSW_GROUP_FAIL], 1);
    assert_int_equal(s.n_group[OSW_GROUP_ERROR], 1);
    assert_int_equal(s.n_group[OSW_GROUP_NOT_JUDGED], 1);
    assert_int_equal(s.n_judged, 4); /* one was skipped by planning */
    assert_int_equal(s.elapsed_ns, 100 * second);
    assert_true(fabs(s.rate - 0.04) < 1e-9);
    assert_int_equal(s.n_workers, 1);
    assert_int_equal(s.n_left_out, 1);
    assert_int_equal(s.n_lost, 0);
    assert_int_equal(s.n_sessions, 1);
    assert_int_equal(s.n_failure_kinds, 2);
    /* In the order in which their ops were first seen. */
    assert_string_equal(s.failures[0].op, "mm");
    assert_int_equal(s.failures[0].state, OSW_STATE_CRASH);
    assert_string_equal(s.failures[1].op, "add");
    assert_string_equal(s.failures[1].impl, "fast");
    assert_int_equal(s.failures[1].state, OSW_STATE_VALUE);
    assert_string_equal(s.failures[1].reason,
                        "element 5: found 1.25, expected 1");
    osw_run_status_free(&s);
    osw_run_close(run);
}

static void lost_ranks_and_sessions_are_counted(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_run_info info = {.command_line = "again", .mpi_size = 2};
    osw_run_t *run = record(f, 0x3e);
    struct osw_run_status s;

    assert_int_equal(
        osw_run_event(run, OSW_EVENT_RANK_LOST, 1, 0, "silent", &err), 0);
    osw_run_close(run);
    s = load(f);
    assert_int_equal(s.phase, OSW_RUN_CUT_OFF);
    assert_int_equal(s.n_lost, 0); /* it was not committed */
    osw_run_status_free(&s);

    run = osw_run_open(f->path, 0, &info, &err);
    assert_non_null(run);
    assert_int_equal(
        osw_run_event(run, OSW_EVENT_RANK_LOST, 1, 0, "silent", &err), 0);
    assert_int_equal(osw_run_commit(run, &err), 0);
    s = load(f);
    assert_int_equal(s.phase, OSW_RUN_GOING);
    assert_int_equal(s.n_sessions, 2);
    assert_int_equal(s.n_workers, 0);
    assert_int_equal(s.n_lost, 1);
    assert_string_equal(s.lost, "rank 1: silent");
    assert_int_equal(s.n_judged, 0); /* in this session */
    assert_int_equal(s.n_done, 1);
    assert_true(isnan(s.left_s));
    osw_run_status_free(&s);
    osw_run_close(run);
}

/* One that is lost and then judged again counts once. */
static void an_infra_result_yields(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_cell_names names = fixture_names(0);
    struct osw_record r = fixture_record(0);
    osw_run_t *run = record(f, 1 << 0);
    struct osw_run_status s;

    r.status_id = OSW_STATE_LOST;
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    r.status_id = OSW_STATE_VALUE;
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    r.status_id = OSW_STATE_CRASH; /* too late */
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_commit(run, &err), 0);
    s = load(f);
    assert_int_equal(s.n_done, 6);
    assert_int_equal(s.n_group[OSW_GROUP_INFRA], 0);
    assert_int_equal(s.n_group[OSW_GROUP_FAIL], 2);
    assert_int_equal(s.n_group[OSW_GROUP_ERROR], 1);
    assert_int_equal(s.failures[0].n, 2); /* add/fast: value */
    osw_run_status_free(&s);
    osw_run_close(run);
}

static void a_finished_run_is_read_from_its_file(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_status s;

    assert_int_equal(fixture_file(f->path, &err), 0);
    s = load(f);
    assert_int_equal(s.phase, OSW_RUN_COMPLETE);
    assert_int_equal(s.n_done, 6);
    assert_int_equal(s.n_judged, 5);
    assert_int_equal(s.n_workers, 1);
    assert_int_equal(s.n_left_out, 1);
    assert_int_equal(s.n_failure_kinds, 2);
    osw_run_status_free(&s);
}

static void write_file_of(const char *path, const char *uuid)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;

    info.uuid = uuid;
    run = osw_run_create(path, &info, false, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
}

static osw_run_t *resume(const struct folder *f)
{
    const struct osw_run_info info = {.command_line = "again", .mpi_size = 2};
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = osw_run_open(f->path, 0, &info, &err);

    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void put_first(osw_run_t *run, enum osw_state state)
{
    struct osw_cell_names names = fixture_names(0);
    struct osw_record r = fixture_record(0);
    struct osw_error err = OSW_ERROR_INIT;

    r.status_id = (uint8_t)state;
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_commit(run, &err), 0);
}

static void expect_done(const struct folder *f, uint64_t n_done,
                        uint64_t n_infra, enum osw_run_phase phase)
{
    struct osw_run_status s = load(f);

    assert_int_equal(s.n_done, n_done);
    assert_int_equal(s.n_group[OSW_GROUP_INFRA], n_infra);
    assert_int_equal(s.phase, phase);
    osw_run_status_free(&s);
}

/* `want`: after the file's name, which FILE stands for in it. */
static void expect_head(const struct folder *f, const char *want)
{
    struct osw_text text = OSW_TEXT_INIT, head = OSW_TEXT_INIT;
    struct osw_run_status s = load(f);
    const char *at = strstr(want, "FILE");

    osw_run_status_text(&s, &text);
    osw_text_printf(&head, "%s: %.*s%s%s\n", f->path,
                    (int)(at ? at - want : (long)strlen(want)), want,
                    at ? f->path : "", at ? at + strlen("FILE") : "");
    assert_int_equal(strncmp(text.data, head.data, head.used), 0);
    osw_text_free(&text);
    osw_text_free(&head);
    osw_run_status_free(&s);
}

/* A folder of that name is in the way. */
static void a_file_that_could_not_be_written_is_not_complete(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = record(f, 0);

    assert_int_equal(mkdir(f->path, 0700), 0);
    assert_int_equal(osw_run_seal(run, true, &err), -1);
    osw_run_close(run);
    assert_int_equal(rmdir(f->path), 0);
    expect_done(f, 6, 0, OSW_RUN_INCOMPLETE);
    expect_head(f, "incomplete, not written; opsweep run --resume FILE writes "
                   "it");
    run = resume(f);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    expect_done(f, 6, 0, OSW_RUN_COMPLETE);
}

/* Of six cells the first is lost: a resumed run judges it again. */
static void lost_cells_of_a_session_before_are_not_done(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = record(f, 1 << 0);

    put_first(run, OSW_STATE_LOST);
    expect_done(f, 6, 1, OSW_RUN_GOING);
    osw_run_close(run);
    run = resume(f);
    expect_done(f, 5, 0, OSW_RUN_GOING);
    osw_run_close(run);
    run = resume(f);
    expect_done(f, 5, 0, OSW_RUN_GOING);
    put_first(run, OSW_STATE_LOST);
    expect_done(f, 6, 1, OSW_RUN_GOING);
    osw_run_close(run);
    run = resume(f);
    /* One that is not judged again stays lost in a run that ended. */
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_int_equal(access(f->journal, F_OK), 0);
    expect_done(f, 6, 1, OSW_RUN_INCOMPLETE);
    expect_head(f, "incomplete; opsweep run --resume FILE --retry-lost judges "
                   "1 cell again");
    run = resume(f);
    put_first(run, OSW_STATE_PASS);
    expect_done(f, 6, 0, OSW_RUN_GOING);
    osw_run_close(run);
}

/* The first session began with the year; the last has just begun. */
static void a_file_of_several_sessions_has_the_time_of_the_last(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = record(f, 1 << 0);
    struct osw_run_status s;

    osw_run_close(run);
    run = resume(f);
    put_first(run, OSW_STATE_PASS);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    assert_int_not_equal(access(f->journal, F_OK), 0);
    s = load(f);
    assert_int_equal(s.phase, OSW_RUN_COMPLETE);
    assert_int_equal(s.n_sessions, 2);
    assert_int_equal(s.n_judged, 5);
    assert_in_range(s.elapsed_ns, 0, 86400 * second);
    assert_true(isnan(s.rate));
    osw_run_status_free(&s);
}

/* Changes a byte of the journal's record `seq`, which is not its last one. */
static void damage(const struct folder *f, uint64_t seq)
{
    char path[700];
    unsigned char byte;
    FILE *file;

    snprintf(path, sizeof(path), "%s/000000.jnl", f->journal);
    file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, OSW_SEGMENT_HEADER_BYTES, SEEK_SET);
    for (uint64_t at = 1;; at++) {
        unsigned char bytes[1 << 16];
        long begin = ftell(file);
        size_t n = fread(bytes, 1, sizeof(bytes), file);
        struct osw_frame frame;

        assert_true(osw_frame_decode(bytes, n, at, &frame));
        if (at < seq) {
            fseek(file, begin + (long)frame.bytes, SEEK_SET);
            continue;
        }
        byte = bytes[frame.bytes - 1] ^ 4;
        fseek(file, begin + (long)frame.bytes - 1, SEEK_SET);
        break;
    }
    assert_int_equal(fwrite(&byte, 1, 1, file), 1);
    fclose(file);
}

static void damage_is_told(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = record(f, 0);
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_run_status s;

    assert_int_equal(osw_run_commit(run, &err), 0);
    osw_run_close(run);
    damage(f, 9);
    s = load(f);
    assert_string_equal(s.journal, f->journal);
    assert_non_null(s.damage);
    assert_int_equal(strncmp(s.damage, "record 9: ", 10), 0);
    assert_non_null(strstr(s.damage, "records after it are not read"));
    assert_false(s.beside);
    osw_run_status_text(&s, &t);
    assert_non_null(strstr(t.data, "\ndamaged  record 9: "));
    osw_text_free(&t);
    osw_run_status_free(&s);
}

/* Which of the two was read, and what the other one is. */
static void a_file_beside_the_journal_is_told(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = record(f, 1 << 2);
    struct osw_text t = OSW_TEXT_INIT;
    char other[700], want[1400];
    struct osw_run_status s;

    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    s = load(f);
    assert_true(s.beside && !s.other_run && !s.damage);
    assert_int_equal(s.n_in_file, 5);
    osw_run_status_free(&s);

    snprintf(other, sizeof(other), "%s/other.h5", f->dir);
    write_file_of(other, "11111111-2222-4333-8444-555555555555");
    assert_int_equal(rename(other, f->path), 0);
    s = load(f);
    assert_true(s.beside && s.other_run);
    osw_run_status_text(&s, &t);
    snprintf(want, sizeof(want),
             "incomplete; another run's file is in the way\n"
             "read     '%s'; '%s' is of another run and holds 0 cells\n",
             f->journal, f->path);
    assert_non_null(strstr(t.data, want));
    osw_text_free(&t);
    osw_run_status_free(&s);
}

static void nothing_there_is_an_error(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_status s;

    assert_int_equal(osw_run_status_load(f->path, 0, &s, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "there is neither"));
    assert_non_null(strstr(err.text, f->journal));
}

static void recent_rate_is_that_of_the_last_part(void **state)
{
    const int64_t ends[] = {1 * second, 50 * second, 95 * second, 99 * second};

    (void)state;
    /* Of 100 s the last 30 s count, of 1000 s the last 200 s. */
    assert_true(fabs(osw_run_status_recent(ends, 4, 100 * second) - 2 / 30.0) <
                1e-9);
    assert_true(isnan(osw_run_status_recent(ends, 4, 1000 * second)));
    assert_true(fabs(osw_run_status_recent(ends, 1, 10 * second) - 0.1) < 1e-9);
    assert_true(isnan(osw_run_status_recent(ends, 0, 10 * second)));
    assert_true(isnan(osw_run_status_recent(ends, 4, 0)));
}

static void people_read_lines(void **state)
{
    static const char want[] =
        "a.h5: running, written by process 7 on host n1\n"
        "silent   1:05 without a heartbeat of that process\n"
        "shard    2/3\n"
        "cells    50 of 200 (25 %): 40 pass, 10 fail\n"
        "time     1:01:40 of predicted 2:00:00 in session 2, 0.5 cells/s, "
        "lately 0.25/s, 10:00 left "
        "at that rate\n"
        "workers  3, 1 left out, 2 ranks lost (last: rank 4: silent)\n"
        "failed   9 value add/fast: first line\n"
        "         1 nan mm/slow\n"
        "         and 4 more; opsweep report a.h5\n";
    const struct osw_run_status s = {
        .path = "a.h5",
        .phase = OSW_RUN_GOING,
        .who = "process 7 on host n1",
        .silent_ns = 65 * second,
        .shard = 2,
        .n_shards = 3,
        .n_sessions = 2,
        .n_planned = 200,
        .n_done = 50,
        .n_group = {40, 10},
        .elapsed_ns = 3700 * second,
        .predicted_ns = 7200 * second,
        .rate = 0.5,
        .recent_rate = 0.25,
        .left_s = 600,
        .n_workers = 3,
        .n_left_out = 1,
        .n_lost = 2,
        .lost = "rank 4: silent",
        .failures = {{"add", "fast", "first line\nsecond", OSW_STATE_VALUE, 9},
                     {"mm", "slow", "", OSW_STATE_NAN, 1}},
        .n_failures = 2,
        .n_failure_kinds = 6,
    };
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_run_status_text(&s, &t);
    assert_string_equal(osw_text_str(&t), want);
    osw_text_free(&t);
}

/* Texts come from journals and from what op code said. */
static void no_text_steers_a_terminal(void **state)
{
    static const char clear[] = "\x1b[2J";
    const struct osw_run_status s = {
        .path = "a.h5",
        .phase = OSW_RUN_GOING,
        .who = clear,
        .n_sessions = 1,
        .rate = NAN,
        .lost = clear,
        .failures = {{clear, clear, clear, OSW_STATE_VALUE, 1}},
        .n_failures = 1,
        .n_failure_kinds = 1,
    };
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_run_status_text(&s, &t);
    assert_non_null(osw_text_str(&t));
    assert_null(strchr(osw_text_str(&t), '\x1b'));
    assert_non_null(strstr(osw_text_str(&t), "1 value  [2J/ [2J:  [2J\n"));
    osw_text_free(&t);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct folder *f = *state;
    osw_run_t *run = record(f, 1 << 3);
    int failures = 0;

    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_run_status s;
        int rc;

        chaos_arm(failures);
        rc = osw_run_status_load(f->path, begin_ns, &s, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        if (rc == 0)
            osw_run_status_free(&s);
    }
    assert_true(failures > 10);
    osw_run_close(run);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_run_that_goes_on),
        T(lost_ranks_and_sessions_are_counted),
        T(an_infra_result_yields),
        T(a_finished_run_is_read_from_its_file),
        T(a_file_that_could_not_be_written_is_not_complete),
        T(lost_cells_of_a_session_before_are_not_done),
        T(a_file_of_several_sessions_has_the_time_of_the_last),
        T(damage_is_told),
        T(a_file_beside_the_journal_is_told),
        T(nothing_there_is_an_error),
        cmocka_unit_test(recent_rate_is_that_of_the_last_part),
        cmocka_unit_test(people_read_lines),
        cmocka_unit_test(no_text_steers_a_terminal),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/run_status", tests, NULL, NULL);
}

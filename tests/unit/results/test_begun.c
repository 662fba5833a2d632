/* tests/unit/results/test_begun.c - cells that sessions died over */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "results/journal/at_work.h"
#include "results/journal/begun.h"
#include "results/journal/journal.h"
#include "tests/unit/chaos.h"
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

static void must(int rc, const struct osw_error *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void lose(osw_run_t *run, uint64_t cell)
{
    struct osw_cell_names names = fixture_names(cell);
    struct osw_record r = fixture_record(cell);
    struct osw_error err = OSW_ERROR_INIT;

    r.status_id = OSW_STATE_LOST;
    must(osw_run_result(run, &r, &names, &err), &err);
}

/* A session by its story: digits begin a cell, letters end it (a: cell 0), 'E'
 * the session; it dies without.  After '>' the next rank begins; 'S': it is
 * asked to stop; 'L': the rank is lost; 'A': cell 0 ends as lost, and so on.
 */
static void session(const struct folder *f, bool first, const char *story)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = first ? osw_run_create(f->path, &info, false, &err)
                           : osw_run_open(f->path, 0, &info, &err);
    bool sealed = false;
    int32_t rank = 1;

    must(run ? 0 : -1, &err);
    for (; *story; story++) {
        uint64_t cell = (uint64_t)(*story >= 'a' ? *story - 'a' : *story - '0');
        struct osw_cell_names names = fixture_names(cell % FIXTURE_CELLS);
        struct osw_record r = fixture_record(cell % FIXTURE_CELLS);

        if (*story == '>') {
            rank++;
        } else if (*story == 'S') {
            must(osw_run_event(run, OSW_EVENT_SIGNAL, -1, 0, "", &err), &err);
        } else if (*story == 'L') {
            must(osw_run_event(run, OSW_EVENT_RANK_LOST, rank, 0, "", &err),
                 &err);
        } else if (*story >= 'A' && *story <= 'D') {
            lose(run, (uint64_t)(*story - 'A'));
        } else if (*story == 'E') {
            must(osw_run_seal(run, false, &err), &err);
            sealed = true;
        } else if (*story >= 'a') {
            must(osw_run_result(run, &r, &names, &err), &err);
        } else {
            must(osw_run_begin(run, cell, rank, 1, &err), &err);
        }
    }
    if (!sealed)
        must(osw_run_commit(run, &err), &err);
    osw_run_close(run);
}

static struct osw_begun load(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_begun b;

    must(osw_begun_load(f->journal, &b, &err), &err);
    return b;
}

static void a_cell_without_a_result_counts_once_a_session(void **state)
{
    struct osw_begun b;

    session(*state, true, "0012ab");
    session(*state, false, "2");
    session(*state, false, "23d");
    b = load(*state);
    assert_int_equal(b.n_sessions, 3);
    assert_int_equal(b.n_died, 3);
    assert_int_equal(b.n, 1);
    assert_int_equal(osw_begun_of(&b, 0), 0);
    assert_int_equal(osw_begun_of(&b, 2), 3);
    assert_int_equal(osw_begun_of(&b, 3), 0);
    assert_int_equal(osw_begun_of(&b, 99), 0);
    osw_begun_free(&b);
}

static void a_session_that_ended_by_itself_counts_nothing(void **state)
{
    struct osw_begun b;

    session(*state, true, "01aE");
    session(*state, false, "1");
    b = load(*state);
    assert_int_equal(b.n_sessions, 2);
    assert_int_equal(b.n_died, 1);
    assert_int_equal(osw_begun_of(&b, 1), 1);
    osw_begun_free(&b);
}

static void a_session_that_was_asked_to_stop_counts_nothing(void **state)
{
    struct osw_begun b;

    session(*state, true, "01S");
    session(*state, false, "1");
    b = load(*state);
    assert_int_equal(b.n_died, 2); /* in a hurry */
    assert_int_equal(osw_begun_of(&b, 0), 0);
    assert_int_equal(osw_begun_of(&b, 1), 1);
    osw_begun_free(&b);
}

/* Cells of a worker that was there when its coordinator was not are innocent:
 * of the worker that had them last, in that session alone.
 */
static void a_worker_that_outlived_its_coordinator_bears_witness(void **state)
{
    const struct folder *f = *state;
    struct osw_begun b;

    session(f, true, "01>2>13"); /* cell 1 went from rank 1 to rank 3 */
    session(f, false, "01>>>>>>>>>>>2");
    osw_begun_outlived(f->journal, 0, 1);
    osw_begun_outlived(f->journal, 0, 1);
    osw_begun_outlived(f->journal, 1, 12);
    osw_begun_outlived("", 1, 1);
    osw_begun_outlived("/nowhere/at/all", 1, 1);
    b = load(f);
    assert_int_equal(b.n_died, 2);
    assert_int_equal(osw_begun_of(&b, 0), 1);
    assert_int_equal(osw_begun_of(&b, 1), 2);
    assert_int_equal(osw_begun_of(&b, 2), 1);
    assert_int_equal(osw_begun_of(&b, 3), 1);
    osw_begun_free(&b);
    osw_begun_outlived(f->journal, 1, 1);
    osw_begun_outlived(f->journal, 0, 3);
    b = load(f);
    assert_int_equal(b.n, 1);
    assert_int_equal(osw_begun_of(&b, 2), 1);
    osw_begun_free(&b);
}

/* As worker `rank` leaves it: it was at cells first to last. */
static void was_at(const struct folder *f, uint32_t session, int32_t rank,
                   uint64_t first, uint64_t last)
{
    const struct osw_at_work_range ranges[] = {{1000, 1000}, {first, last}};
    int fd = osw_at_work_open(f->journal, session, rank);

    assert_true(fd >= 0);
    osw_at_work_write(fd, ranges, 1); /* what it was at before */
    osw_at_work_write(fd, ranges, 2);
    close(fd);
}

/* Which cells are suspects: of a cell the sessions, as digits; '.': none. */
static void suspects_are(const struct folder *f, const char *want)
{
    struct osw_begun b = load(f);

    for (uint64_t cell = 0; want[cell]; cell++)
        assert_int_equal(osw_begun_of(&b, cell),
                         want[cell] == '.' ? 0 : want[cell] - '0');
    osw_begun_free(&b);
}

static void a_dead_worker_is_suspected_of_what_it_was_at_alone(void **state)
{
    const struct folder *f = *state;

    session(f, true, "012>345>67c"); /* cell 2 has a result */
    suspects_are(f, "11.11111");
    was_at(f, 0, 1, 1, 1);
    was_at(f, 0, 2, 4, 5);
    suspects_are(f, ".1..1111"); /* rank 3 says nothing */
    was_at(f, 0, 3, 0, 2);       /* none of what it has: an old version */
    suspects_are(f, ".1..1111");
    was_at(f, 1, 3, 6, 6); /* of another session */
    suspects_are(f, ".1..1111");
    was_at(f, 0, 1, 2, 2); /* that has a result, so it was written before */
    suspects_are(f, "11..1111");
}

static void a_file_that_was_not_written_whole_says_nothing(void **state)
{
    const struct folder *f = *state;
    static struct osw_at_work_range many[OSW_AT_WORK_MAX + 1];
    char path[700];
    int fd;

    session(f, true, "01");
    was_at(f, 0, 1, 1, 1);
    suspects_are(f, ".1");
    snprintf(path, sizeof(path), "%s/at_work.0.1", f->journal);
    assert_int_equal(truncate(path, 20), 0);
    suspects_are(f, "11");
    was_at(f, 0, 1, 1, 1);
    fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "x", 1, 25), 1);
    suspects_are(f, "11");
    osw_at_work_write(fd, many, 2);
    suspects_are(f, "1."); /* it names cell 0 */
    osw_at_work_write(fd, many, OSW_AT_WORK_MAX + 1);
    suspects_are(f, "11");
    close(fd);
    osw_at_work_write(-1, many, 1);
    assert_int_equal(osw_at_work_open("", 0, 1), -1);
}

/* As the reaper leaves it: how the worker ended. */
static void ended_as(const struct folder *f, uint32_t session, int32_t rank,
                     struct osw_death death)
{
    char path[700];
    int fd;

    snprintf(path, sizeof(path), "%s/at_work.%u.%d", f->journal, session, rank);
    fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    osw_death_seal(&death);
    assert_int_equal(pwrite(fd, &death, sizeof(death), osw_at_work_death_at),
                     sizeof(death));
    close(fd);
}

static const struct osw_death killed = {.signal = SIGKILL};

static uint32_t pardons_of(const struct osw_begun *b, uint64_t cell)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->cells[i].cell == cell)
            return b->cells[i].n_pardoned;
    return 0;
}

static void a_kill_from_outside_does_not_count(void **state)
{
    const struct folder *f = *state;
    struct osw_begun b;

    session(f, true, "01>2");
    was_at(f, 0, 1, 0, 0);
    ended_as(f, 0, 1, killed);
    suspects_are(f, "..1"); /* cell 1 was not begun, 2 had another worker */
    assert_true(osw_at_work_has_ended(f->journal, 0, 1));
    assert_false(osw_at_work_has_ended(f->journal, 0, 2));
    assert_false(osw_at_work_has_ended(NULL, 0, 1));
    assert_true(osw_at_work_was_killed(f->journal, 0, 1));
    assert_false(osw_at_work_was_killed(f->journal, 0, 2));
    assert_false(osw_at_work_was_killed("", 0, 1));
    assert_false(osw_at_work_was_killed(NULL, 0, 1));
    b = load(f);
    assert_int_equal(b.n, 2);
    assert_int_equal(pardons_of(&b, 0), 1);
    assert_int_equal(pardons_of(&b, 1), 0);
    osw_begun_free(&b);
    ended_as(f, 0, 2, killed); /* it had named no cell: all that it had */
    assert_true(osw_at_work_has_ended(f->journal, 0, 2));
    suspects_are(f, "...");
    /* What is not from outside, and what is not known. */
    ended_as(f, 0, 1, (struct osw_death){.signal = SIGSEGV});
    suspects_are(f, "1..");
    ended_as(f, 0, 1, (struct osw_death){.signal = SIGKILL, .n_oom = 1});
    suspects_are(f, "1..");
    ended_as(f, 1, 1, killed); /* of another session */
    suspects_are(f, "1..");
}

/* Of a worker that names new cells the end is not known yet. */
static void a_report_that_was_changed_says_nothing(void **state)
{
    const struct folder *f = *state;
    char path[700];
    int fd;

    session(f, true, "0");
    was_at(f, 0, 1, 0, 0);
    ended_as(f, 0, 1, killed);
    suspects_are(f, ".");
    snprintf(path, sizeof(path), "%s/at_work.0.1", f->journal);
    for (off_t i = 0; i < (off_t)sizeof(struct osw_death); i++) {
        char was, is;

        fd = open(path, O_RDWR);
        assert_int_equal(pread(fd, &was, 1, osw_at_work_death_at + i), 1);
        is = (char)(was ^ 4);
        assert_int_equal(pwrite(fd, &is, 1, osw_at_work_death_at + i), 1);
        suspects_are(f, "1");
        assert_int_equal(pwrite(fd, &was, 1, osw_at_work_death_at + i), 1);
        close(fd);
    }
    suspects_are(f, ".");
    assert_int_equal(truncate(path, osw_at_work_death_at + 10), 0);
    suspects_are(f, "1");
}

/* A session that ended, but lost workers: what they were at has no result. */
static void a_worker_that_was_lost_counts_whatever_the_end(void **state)
{
    static const struct {
        const char *story, *want;
    } rows[] = {
        {"01L>2aE", ".1."},    /* cell 0 had a result before */
        {"01L>01abE", ".."},   /* another worker had them */
        {"01L>01E", ".."},     /* ... and was not lost, */
        {"01L>01LE", "11"},    /* or was */
        {"01L>1L>1LBE", "11"}, /* three were lost: so is the cell */
        {"BE", ".."},          /* for want of workers */
        {"01SLE", ".."},       /* it was asked to stop, */
        {"0L1SE", "1."},       /* after it was lost, and came back */
        {"0L1LE", "11"},       /* or was lost again */
        {"01L", "11"},         /* once a session */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct folder f;

        assert_int_equal(folder_make(&f), 0);
        print_message("  case: %s\n", rows[i].story);
        session(&f, true, rows[i].story);
        suspects_are(&f, rows[i].want);
        assert_int_equal(folder_remove(&f), 0);
    }
}

/* With two workers: both are lost in each session, which ends by itself. */
static void a_cell_that_kills_its_workers_is_not_begun_for_ever(void **state)
{
    const struct folder *f = *state;
    static const struct {
        const char *story;
        enum osw_suspicion want; /* of cell 2 */
    } rows[] = {{"0123L>0a2LE", OSW_SUSPICION_SHARED},
                {"2L>1b3d2LE", OSW_SUSPICION_ALONE},
                {"2L>2LE", OSW_SUSPICION_PROVED}};

    for (uint32_t i = 0; i < 3; i++) {
        struct osw_begun b;

        session(f, i == 0, rows[i].story);
        b = load(f);
        assert_int_equal(b.n_died, 0);
        assert_int_equal(b.cells[1].cell, 2);
        assert_int_equal(osw_begun_suspicion(&b.cells[1]), rows[i].want);
        osw_begun_free(&b);
    }
}

/* A cell that can kill its worker is not begun for ever. */
static void pardons_are_counted(void **state)
{
    const struct folder *f = *state;
    struct osw_begun b;

    for (uint32_t i = 0; i < OSW_BEGUN_PARDONS + 2; i++) {
        session(f, i == 0, "0>1");
        was_at(f, i, 1, 0, 0);
        ended_as(f, i, 1, killed);
        osw_begun_outlived(f->journal, i, 2);
        b = load(f);
        assert_int_equal(osw_begun_suspicion(&b.cells[0]),
                         i < OSW_BEGUN_PARDONS + 1 ? OSW_SUSPICION_SHARED
                                                   : OSW_SUSPICION_PROVED);
        assert_int_equal(pardons_of(&b, 0),
                         i < OSW_BEGUN_PARDONS ? i + 1 : OSW_BEGUN_PARDONS);
        osw_begun_free(&b);
    }
}

/* Lost is only what two sessions died of, one of them of nothing else. */
static void only_a_cell_that_was_suspected_alone_is_proved(void **state)
{
    static const struct {
        struct osw_begun_cell cell;
        enum osw_suspicion want;
    } rows[] = {
        {{0, 0, 0, 0}, OSW_SUSPICION_NONE},
        {{0, 1, 0, 0}, OSW_SUSPICION_SHARED},
        {{0, 1, 1, 0}, OSW_SUSPICION_SHARED},
        {{0, 2, 0, 0}, OSW_SUSPICION_ALONE},
        {{0, 9, 0, 0}, OSW_SUSPICION_ALONE},
        {{0, 2, 1, 0}, OSW_SUSPICION_ALONE},
        {{0, 2, 2, 0}, OSW_SUSPICION_PROVED},
        {{0, 3, 1, 0}, OSW_SUSPICION_PROVED},
        {{0, 0, 0, 9}, OSW_SUSPICION_SHARED},
        {{0, 1, 1, 9}, OSW_SUSPICION_SHARED},
    };
    struct osw_begun b;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(osw_begun_suspicion(&rows[i].cell), rows[i].want);
    session(*state, true, "01>2");
    session(*state, false, "1>2");
    session(*state, false, "2");
    b = load(*state);
    assert_int_equal(b.n, 3);
    assert_int_equal(b.cells[0].n_alone, 0);
    assert_int_equal(b.cells[1].n, 2);
    assert_int_equal(b.cells[1].n_alone, 0);
    assert_int_equal(b.cells[2].n, 3);
    assert_int_equal(b.cells[2].n_alone, 1);
    osw_begun_free(&b);
}

static void what_they_left_goes_with_the_journal(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    session(f, true, "01");
    osw_begun_outlived(f->journal, 0, 1);
    was_at(f, 0, 1, 0, 0);
    must(osw_journal_discard(f->journal, &err), &err);
    assert_int_equal(access(f->journal, F_OK), -1);
}

static void every_allocation_failure_is_reported(void **state)
{
    bool struck = true;

    session(*state, true, "0123");
    osw_begun_outlived(((struct folder *)*state)->journal, 0, 2);
    was_at(*state, 0, 1, 0, 3);
    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_begun b = {.n = 0};
        int rc;

        chaos_arm(n);
        rc = osw_begun_load(((struct folder *)*state)->journal, &b, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        osw_begun_free(&b);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_cell_without_a_result_counts_once_a_session),
        T(a_session_that_ended_by_itself_counts_nothing),
        T(a_session_that_was_asked_to_stop_counts_nothing),
        T(a_worker_that_outlived_its_coordinator_bears_witness),
        T(a_dead_worker_is_suspected_of_what_it_was_at_alone),
        T(a_file_that_was_not_written_whole_says_nothing),
        T(a_kill_from_outside_does_not_count),
        T(a_report_that_was_changed_says_nothing),
        T(a_worker_that_was_lost_counts_whatever_the_end),
        T(a_cell_that_kills_its_workers_is_not_begun_for_ever),
        T(pardons_are_counted),
        T(only_a_cell_that_was_suspected_alone_is_proved),
        T(what_they_left_goes_with_the_journal),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/begun", tests, NULL, NULL);
}

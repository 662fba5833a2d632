/* tests/unit/results/test_journal.c - what was committed is read back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "results/journal/journal.h"
#include "results/journal/lock.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

enum { FRAME = 48, HEADER = OSW_SEGMENT_HEADER_BYTES }; /* see put() */

static const uint8_t sha[32] = {1, 2, 3};

static const struct osw_journal_config config = {
    .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
    .campaign_sha256 = sha,
    .tool_version = "1.2.3",
};

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

/* Record i: type i % 100 + 1, payload "record 0000000i" and a NUL. */
static int put(osw_journal_t *j, uint64_t i, struct osw_error *err)
{
    char payload[24];

    memset(payload, 0, sizeof(payload));
    snprintf(payload, sizeof(payload), "record %08llu", (unsigned long long)i);
    return osw_journal_append(j, (uint16_t)(i % 100 + 1), 1, payload, 24, err);
}

static osw_journal_t *create(const struct folder *f, size_t segment_bytes)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_config c = config;
    osw_journal_t *j;

    c.segment_bytes = segment_bytes;
    j = osw_journal_create(f->journal, &c, &err);
    if (!j)
        fail_msg("%s", err.text);
    return j;
}

/* Records from .. to, committed in batches. */
static void fill(osw_journal_t *j, uint64_t from, uint64_t to, uint64_t batch)
{
    struct osw_error err = OSW_ERROR_INIT;

    for (uint64_t i = from; i <= to; i++) {
        assert_int_equal(put(j, i, &err), 0);
        if (i % batch == 0)
            assert_int_equal(osw_journal_commit(j, &err), 0);
    }
    assert_int_equal(osw_journal_commit(j, &err), 0);
}

static void make(const struct folder *f, uint64_t n, uint64_t batch,
                 size_t segment_bytes)
{
    osw_journal_t *j = create(f, segment_bytes);

    fill(j, 1, n, batch);
    osw_journal_close(j);
}

/* Counts records, and checks each. */
static int check(void *arg, const struct osw_frame *frame,
                 const struct osw_journal_place *place, struct osw_error *err)
{
    uint64_t *n = arg;
    char want[24] = "";

    (void)err;
    ++*n;
    snprintf(want, sizeof(want), "record %08llu", (unsigned long long)*n);
    assert_int_equal(frame->seq, *n);
    assert_int_equal(frame->type, *n % 100 + 1);
    assert_int_equal(frame->payload_bytes, 24);
    assert_int_equal(place->payload_bytes, 24);
    assert_string_equal((const char *)frame->payload, want);
    return 0;
}

/* Scan; returns the number of records, or -1 with err set. */
static int64_t scan(const struct folder *f, struct osw_journal_tail *tail,
                    struct osw_error *err)
{
    uint64_t n = 0;

    if (osw_journal_scan(f->journal, check, &n, tail, err))
        return -1;
    assert_int_equal(tail->last_seq, n);
    return (int64_t)n;
}

static void expect_records(const struct folder *f, int64_t want,
                           uint64_t dropped)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;
    int64_t n = scan(f, &tail, &err);

    if (n < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, want);
    assert_int_equal(tail.dropped_bytes, dropped);
}

static void segment_path(const struct folder *f, uint32_t k, char path[700])
{
    osw_journal_segment_path(f->journal, k, path, 700);
}

static void cut(const struct folder *f, uint32_t k, off_t bytes)
{
    char path[700];

    segment_path(f, k, path);
    assert_int_equal(truncate(path, bytes), 0);
}

static void flip(const struct folder *f, uint32_t k, long at, int bit)
{
    char path[700];
    FILE *file;
    int c;

    segment_path(f, k, path);
    file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    c = getc(file);
    assert_int_not_equal(c, EOF);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    putc(c ^ 1 << bit, file);
    fclose(file);
}

/* A full disk: files may not grow beyond `bytes`. */
static void limit(rlim_t bytes)
{
    struct rlimit r;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void records_come_back_in_order_over_segments(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;

    make(*state, 1000, 7, 2 * HEADER);
    assert_int_equal(scan(*state, &tail, &err), 1000);
    assert_true(tail.n_segments > 5);
    assert_int_equal(tail.dropped_bytes, 0);
    assert_string_equal(tail.first.uuid, config.uuid);
    assert_string_equal(tail.first.tool_version, "1.2.3");
    assert_memory_equal(tail.first.campaign_sha256, sha, 32);
}

static void what_was_not_committed_is_not_there(void **state)
{
    osw_journal_t *j = create(*state, 0);
    struct osw_error err = OSW_ERROR_INIT;

    fill(j, 1, 3, 1);
    assert_int_equal(put(j, 4, &err), 0);
    assert_int_equal(osw_journal_appended(j), 4);
    assert_int_equal(osw_journal_committed(j), 3);
    expect_records(*state, 3, 0);
    osw_journal_close(j);
    expect_records(*state, 3, 0);
}

/* ... but what was pushed is, as far as this machine lives. */
static void what_was_pushed_is_there_and_not_committed(void **state)
{
    osw_journal_t *j = create(*state, 2 * HEADER);
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t i = 1;

    for (; i <= 200; i++) { /* over some segments */
        assert_int_equal(put(j, i, &err), 0);
        assert_int_equal(osw_journal_push(j, &err), 0);
        assert_int_equal(osw_journal_push(j, &err), 0); /* nothing to do */
        expect_records(*state, (int64_t)i, 0);
        assert_int_equal(osw_journal_committed(j), (i - 1) / 7 * 7);
        if (i % 7 == 0)
            assert_int_equal(osw_journal_commit(j, &err), 0);
    }
    osw_journal_close(j);
    expect_records(*state, 200, 0);
}

/* A push that fails half-way: what it left is written again. */
static void a_push_that_fails_loses_nothing(void **state)
{
    const struct folder *f = *state;
    osw_journal_t *j = create(f, 0);
    struct osw_error err = OSW_ERROR_INIT;
    struct rlimit old;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    fill(j, 1, 10, 5);
    assert_int_equal(put(j, 11, &err), 0);
    assert_int_equal(osw_journal_push(j, &err), 0);
    assert_int_equal(put(j, 12, &err), 0);
    assert_int_equal(put(j, 13, &err), 0);
    limit(HEADER + 12 * FRAME + 7);
    assert_int_equal(osw_journal_push(j, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    expect_records(f, 10, 0);
    limit(old.rlim_cur);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_journal_push(j, &err), 0);
    expect_records(f, 13, 0);
    assert_int_equal(osw_journal_commit(j, &err), 0);
    assert_int_equal(osw_journal_committed(j), 13);
    osw_journal_close(j);
    expect_records(f, 13, 0);
}

static void a_commit_is_due_by_number_bytes_or_time(void **state)
{
    osw_journal_t *j = create(*state, 0);
    struct osw_error err = OSW_ERROR_INIT;
    static char large[OSW_JOURNAL_DUE_BYTES];
    int64_t now;

    now = osw_clock_ns();
    assert_false(osw_journal_due(j, now));
    assert_true(
        osw_journal_due(j, now + OSW_LOCK_HEARTBEAT_NS)); /* for the lock */
    for (uint64_t i = 1; i < OSW_JOURNAL_DUE_RECORDS; i++)
        assert_int_equal(put(j, i, &err), 0);
    now = osw_clock_ns();
    assert_false(osw_journal_due(j, now - OSW_JOURNAL_DUE_NS));
    assert_true(osw_journal_due(j, now + OSW_JOURNAL_DUE_NS));
    assert_int_equal(put(j, OSW_JOURNAL_DUE_RECORDS, &err), 0);
    assert_true(osw_journal_due(j, now - OSW_JOURNAL_DUE_NS));
    assert_int_equal(osw_journal_commit(j, &err), 0);
    assert_false(osw_journal_due(j, now));
    assert_int_equal(osw_journal_append(j, 1, 1, large, sizeof(large), &err),
                     0);
    assert_true(osw_journal_due(j, osw_clock_ns() - OSW_JOURNAL_DUE_NS));
    osw_journal_close(j);
}

static void a_full_buffer_commits_itself(void **state)
{
    osw_journal_t *j = create(*state, 0);
    struct osw_error err = OSW_ERROR_INIT;
    static char large[OSW_JOURNAL_DUE_BYTES / 2];

    for (int i = 1; i <= 5; i++) {
        assert_int_equal(
            osw_journal_append(j, 1, 1, large, sizeof(large), &err), 0);
        assert_true(osw_journal_appended(j) - osw_journal_committed(j) <= 2);
    }
    assert_true(osw_journal_committed(j) >= 3);
    osw_journal_close(j);
}

/* Kill at every byte: the journal ends with the last whole record. */
static void a_torn_tail_is_cut_at_every_position(void **state)
{
    enum { N = 5 };

    make(*state, N, 1, 0);
    for (int at = HEADER + N * FRAME; at >= HEADER; at--) {
        int whole = (at - HEADER) / FRAME;

        cut(*state, 0, at);
        expect_records(*state, whole, (uint64_t)(at - HEADER - whole * FRAME));
    }
}

static void a_journal_with_half_a_header_is_none(void **state)
{
    static const int sizes[] = {HEADER - 1, 100, 1, 0};

    make(*state, 5, 1, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_journal_tail tail;

        cut(*state, 0, sizes[i]);
        assert_int_equal(scan(*state, &tail, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, "000000.jnl"));
    }
}

/* The header of a further segment is synced before anything follows it. */
static void half_a_header_of_the_last_segment_is_a_torn_tail(void **state)
{
    const struct folder *f = *state;
    char path[700];
    FILE *file;

    make(f, 5, 1, 0);
    segment_path(f, 1, path);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        putc('x', file);
    fclose(file);
    expect_records(f, 5, 1000);
}

static void a_flipped_bit_ends_the_journal_at_its_record(void **state)
{
    enum { N = 6 };

    make(*state, N, 1, 0);
    for (long at = HEADER; at < HEADER + N * FRAME; at++) {
        int whole = (int)(at - HEADER) / FRAME;

        flip(*state, 0, at, (int)at % 8);
        expect_records(*state, whole, (uint64_t)((N - whole) * FRAME));
        flip(*state, 0, at, (int)at % 8);
    }
    expect_records(*state, N, 0);
}

static void a_flipped_bit_in_an_earlier_segment_is_an_error(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;

    make(*state, 200, 10, 2 * HEADER);
    flip(*state, 0, HEADER + 3 * FRAME + 30, 2);
    assert_int_equal(scan(*state, &tail, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "000000.jnl': record 4 at byte 4240 is "
                                     "damaged"));
}

static void a_missing_segment_is_an_error(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;
    char from[700], to[700];

    make(*state, 300, 10, 2 * HEADER);
    segment_path(*state, 2, from);
    segment_path(*state, 1, to);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(scan(*state, &tail, &err), -1);
    assert_non_null(
        strstr(err.text, "000001.jnl' does not belong to this journal"));
}

static void a_folder_without_segments_is_no_journal(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;

    assert_int_equal(scan(*state, &tail, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "holds no journal"));
}

/* What a failed fdatasync leaves: bytes after the last good record, and a
 * next segment that says where this one ends.
 */
static void the_next_segment_says_where_one_ends(void **state)
{
    const struct folder *f = *state;
    osw_journal_t *j = create(f, 2 * HEADER);
    char path[700];
    FILE *file;

    fill(j, 1, 80, 80);
    fill(j, 81, 90, 10); /* too large: begins segment 1 */
    osw_journal_close(j);
    segment_path(f, 0, path);
    file = fopen(path, "a");
    assert_non_null(file);
    fputs("what was never committed", file);
    fclose(file);
    expect_records(f, 90, 0);
}

static void writing_goes_on_after_a_torn_tail(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j;

    make(f, 10, 1, 0);
    cut(f, 0, HEADER + 8 * FRAME - 5);
    j = osw_journal_open(f->journal, &config, &err);
    assert_non_null(j);
    assert_int_equal(osw_journal_committed(j), 7);
    fill(j, 8, 12, 2);
    osw_journal_close(j);
    expect_records(f, 12, 0);
}

static void a_journal_in_use_is_not_opened_nor_discarded(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = create(f, 0);

    assert_null(osw_journal_open(f->journal, &config, &err));
    assert_non_null(strstr(err.text, "is held by process"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_journal_discard(f->journal, &err), -1);
    assert_non_null(strstr(err.text, "is held by process"));
    osw_journal_close(j);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_journal_discard(f->journal, &err), 0);
    /* One that another process removed meanwhile. */
    assert_int_equal(osw_journal_discard(f->journal, &err), 0);
    assert_int_equal(access(f->journal, F_OK), -1);
}

static void a_journal_that_exists_is_not_made_again(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    make(f, 3, 1, 0);
    assert_null(osw_journal_create(f->journal, &config, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "exists"));
    expect_records(f, 3, 0);
}

static void removing_leaves_nothing(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = create(f, 2 * HEADER);
    char left_over[700];

    snprintf(left_over, sizeof(left_over), "%s.removed", f->journal);
    assert_int_equal(mkdir(left_over, 0777), 0); /* of an earlier crash */
    fill(j, 1, 300, 10);
    assert_int_equal(osw_journal_remove(j, &err), 0);
    assert_int_equal(access(f->journal, F_OK), -1);
    assert_int_equal(access(left_over, F_OK), -1);
}

/* NFS keeps what other processes have open, by another name. */
static void removing_is_done_where_only_nfs_keeps_something(void **state)
{
    static const struct {
        const char *name;
        int want;
    } rows[] = {{".nfs000000000012d687", 0}, {"notes.txt", -1}};

    for (size_t i = 0; i < 2; i++) {
        const struct folder *f = *state;
        struct osw_error err = OSW_ERROR_INIT;
        osw_journal_t *j = create(f, 0);
        char left_over[700], path[800];

        print_message("  case: %s\n", rows[i].name);
        fill(j, 1, 3, 1);
        snprintf(path, sizeof(path), "%s/%s", f->journal, rows[i].name);
        fclose(fopen(path, "w"));
        assert_int_equal(osw_journal_remove(j, &err), rows[i].want);
        assert_int_equal(access(f->journal, F_OK), -1);
        snprintf(path, sizeof(path), "%s.removed/%s", f->journal, rows[i].name);
        assert_int_equal(unlink(path), 0); /* by NFS */
        snprintf(left_over, sizeof(left_over), "%s.removed", f->journal);
        assert_int_equal(access(left_over, F_OK), 0);
    }
}

static void a_full_disk_loses_nothing(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = create(f, 0);
    struct rlimit old;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    fill(j, 1, 10, 5);
    for (uint64_t i = 11; i <= 20; i++)
        assert_int_equal(put(j, i, &err), 0);
    limit(HEADER + 12 * FRAME + 7); /* two and a bit of the ten fit */
    for (int attempt = 0; attempt < 3; attempt++) {
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_journal_commit(j, &err), -1);
        assert_int_equal(err.status, OSW_SYSTEM);
        assert_non_null(strstr(err.text, "MiB are waiting to be written"));
        expect_records(f, 10, 0);
        assert_int_equal(osw_journal_committed(j), 10);
    }
    limit(old.rlim_cur);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_journal_commit(j, &err), 0);
    expect_records(f, 20, 0);
    osw_journal_close(j);
}

static void a_segment_that_cannot_be_begun_is_begun_later(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = create(f, 2 * HEADER);
    struct rlimit old;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    fill(j, 1, 80, 80);
    for (uint64_t i = 81; i <= 90; i++)
        assert_int_equal(put(j, i, &err), 0);
    limit(100);
    assert_int_equal(osw_journal_commit(j, &err), -1);
    expect_records(f, 80, 0);
    limit(old.rlim_cur);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_journal_commit(j, &err), 0);
    expect_records(f, 90, 0);
    osw_journal_close(j);
}

static void a_record_beyond_the_bound_is_refused(void **state)
{
    osw_journal_t *j = create(*state, 0);
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(
        osw_journal_append(j, 1, 1, "", OSW_FRAME_MAX_PAYLOAD + 1, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_int_equal(osw_journal_appended(j), 0);
    osw_journal_close(j);
}

static int refuse_third(void *arg, const struct osw_frame *frame,
                        const struct osw_journal_place *place,
                        struct osw_error *err)
{
    (void)arg;
    (void)place;
    return frame->seq < 3 ? 0 : osw_fail(err, OSW_INTERNAL, "enough");
}

static void a_callback_that_fails_ends_the_scan(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_tail tail;

    make(f, 5, 1, 0);
    assert_int_equal(
        osw_journal_scan(f->journal, refuse_third, NULL, &tail, &err), -1);
    assert_string_equal(err.text, "enough");
}

/* In a child: append and commit until killed, and tell what was committed. */
static void write_until_killed(const struct folder *f,
                               volatile uint64_t *committed)
{
    struct osw_journal_config c = config;
    osw_journal_t *j;

    c.segment_bytes = 4 * HEADER;
    j = osw_journal_create(f->journal, &c, NULL);
    if (!j)
        _exit(1);
    for (uint64_t i = 1;; i++) {
        if (put(j, i, NULL) || (i % 7 == 0 && osw_journal_commit(j, NULL)))
            _exit(1);
        *committed = osw_journal_committed(j);
    }
}

static void what_was_committed_survives_kill_9(void **state)
{
    struct folder *f = *state;
    volatile uint64_t *committed =
        mmap(NULL, sizeof(*committed), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(committed != MAP_FAILED);
    for (int round = 0; round < 8; round++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_journal_tail tail;
        osw_journal_t *j;
        uint64_t told;
        pid_t pid;

        *committed = 0;
        pid = fork();
        if (pid == 0)
            write_until_killed(f, committed);
        while (*committed < 100 + 37 * (uint64_t)round)
            osw_clock_sleep_ns(100000);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        told = *committed;
        assert_true(scan(f, &tail, &err) >= (int64_t)told);
        j = osw_journal_open(f->journal, &config, &err); /* a dead one's lock */
        assert_non_null(j);
        assert_int_equal(osw_journal_remove(j, &err), 0);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    const struct folder *f = *state;
    int failures = 0;

    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_journal_tail tail;
        osw_journal_t *j;
        int rc = -1;

        chaos_arm(failures);
        j = osw_journal_create(f->journal, &config, &err);
        if (j && put(j, 1, &err) == 0 && osw_journal_commit(j, &err) == 0)
            rc = osw_journal_scan(f->journal, NULL, NULL, &tail, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        err = (struct osw_error)OSW_ERROR_INIT;
        if (j)
            assert_int_equal(osw_journal_remove(j, &err), 0);
        assert_int_equal(access(f->journal, F_OK), -1);
    }
    assert_true(failures >= 4);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(records_come_back_in_order_over_segments),
        T(what_was_not_committed_is_not_there),
        T(what_was_pushed_is_there_and_not_committed),
        T(a_push_that_fails_loses_nothing),
        T(a_commit_is_due_by_number_bytes_or_time),
        T(a_full_buffer_commits_itself),
        T(a_torn_tail_is_cut_at_every_position),
        T(a_journal_with_half_a_header_is_none),
        T(half_a_header_of_the_last_segment_is_a_torn_tail),
        T(a_flipped_bit_ends_the_journal_at_its_record),
        T(a_flipped_bit_in_an_earlier_segment_is_an_error),
        T(a_missing_segment_is_an_error),
        T(a_folder_without_segments_is_no_journal),
        T(the_next_segment_says_where_one_ends),
        T(writing_goes_on_after_a_torn_tail),
        T(a_journal_in_use_is_not_opened_nor_discarded),
        T(a_journal_that_exists_is_not_made_again),
        T(removing_leaves_nothing),
        T(removing_is_done_where_only_nfs_keeps_something),
        T(a_full_disk_loses_nothing),
        T(a_segment_that_cannot_be_begun_is_begun_later),
        T(a_record_beyond_the_bound_is_refused),
        T(a_callback_that_fails_ends_the_scan),
        T(what_was_committed_survives_kill_9),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/journal", tests, NULL, NULL);
}

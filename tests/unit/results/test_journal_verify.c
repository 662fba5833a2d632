/* tests/unit/results/test_journal_verify.c - where a journal is bad, and why */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "results/journal/entry.h"
#include "results/journal/journal.h"
#include "results/journal/journal_verify.h"
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

enum { N = 12, FRAME = 40, PAYLOAD = 16 };

/* N records BEGIN, three to a segment where those are small. */
static void make(const struct folder *f, size_t segment_bytes)
{
    static const uint8_t sha[32];
    struct osw_journal_config config = {
        .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
        .campaign_sha256 = sha,
        .tool_version = "1",
        .relaxed = true,
        .segment_bytes = segment_bytes,
    };
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = osw_journal_create(f->journal, &config, &err);
    struct osw_text t = OSW_TEXT_INIT;

    assert_non_null(j);
    for (uint64_t i = 0; i < N; i++) {
        struct osw_entry e = {.type = OSW_ENTRY_BEGIN,
                              .begin = {.cell = i, .rank = 1, .attempt = 1}};

        assert_int_equal(osw_entry_encode(&e, &t, &err), 0);
        assert_int_equal(t.used, PAYLOAD);
        assert_int_equal(osw_journal_append(j, OSW_ENTRY_BEGIN,
                                            OSW_ENTRY_VERSION, t.data, t.used,
                                            &err),
                         0);
        assert_int_equal(osw_journal_commit(j, &err), 0);
    }
    osw_journal_close(j);
    osw_text_free(&t);
}

static void change(const struct folder *f, uint32_t k, off_t at, int bit)
{
    char path[700], byte;
    int fd;

    osw_journal_segment_path(f->journal, k, path, sizeof(path));
    fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte = (char)(byte ^ (1 << bit));
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void cut(const struct folder *f, uint32_t k, off_t bytes)
{
    char path[700];

    osw_journal_segment_path(f->journal, k, path, sizeof(path));
    assert_int_equal(truncate(path, bytes), 0);
}

static struct osw_journal_verdict look(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_verdict v;

    if (osw_journal_verify(f->journal, &v, &err))
        fail_msg("%s", err.text);
    return v;
}

static void expect_bad(const struct folder *f, enum osw_journal_state state,
                       uint32_t segment, uint64_t offset, uint64_t seq,
                       uint64_t n_after, const char *why)
{
    struct osw_journal_verdict v = look(f);

    assert_int_equal(v.state, state);
    assert_int_equal(v.segment, segment);
    assert_int_equal(v.offset, offset);
    assert_int_equal(v.seq, seq);
    assert_int_equal(v.n_records, seq - 1);
    assert_int_equal(v.n_after, n_after);
    if (!strstr(v.why, why))
        fail_msg("'%s' does not say '%s'", v.why, why);
}

static const off_t header = OSW_SEGMENT_HEADER_BYTES;

static void a_journal_that_was_left_alone_is_whole(void **state)
{
    struct osw_journal_verdict v;

    make(*state, 0);
    v = look(*state);
    assert_int_equal(v.state, OSW_JOURNAL_WHOLE);
    assert_int_equal(v.n_records, N);
    assert_int_equal(v.n_segments, 1);
    assert_int_equal(v.n_bytes, header + N * FRAME);
}

static void a_torn_tail_is_told_with_its_place(void **state)
{
    make(*state, 0);
    cut(*state, 0, header + 11 * FRAME + 30);
    expect_bad(*state, OSW_JOURNAL_TORN, 0,
               (uint64_t)header + 11 * (uint64_t)FRAME, 12, 0,
               "cut off: 30 of its 40 bytes");
    cut(*state, 0, header + 11 * FRAME + 5);
    expect_bad(*state, OSW_JOURNAL_TORN, 0,
               (uint64_t)header + 11 * (uint64_t)FRAME, 12, 0, "5 bytes");
}

/* Each row flips one bit of the fifth record. */
static void a_flipped_bit_is_told_with_its_place_and_reason(void **state)
{
    static const struct {
        off_t at;
        int bit;
        const char *why;
    } rows[] = {
        {0, 1, "no record begins here"},
        {4, 3, "checksum"},
        {7, 6, "is out of bounds"},
        {8, 0, "its number is 4, expected 5"},
        {16, 7, "checksum"},
        {20, 0, "checksum"},
        {FRAME - 1, 5, "checksum"},
    };

    make(*state, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        off_t at = header + 4 * FRAME + rows[i].at;

        change(*state, 0, at, rows[i].bit);
        expect_bad(*state, OSW_JOURNAL_DAMAGED, 0,
                   (uint64_t)header + 4 * (uint64_t)FRAME, 5, N - 5,
                   rows[i].why);
        change(*state, 0, at, rows[i].bit);
    }
    assert_int_equal(look(*state).state, OSW_JOURNAL_WHOLE);
}

static void damage_of_an_earlier_segment_is_told(void **state)
{
    const struct folder *f = *state;

    make(f, (size_t)header + 3 * FRAME);
    assert_int_equal(look(f).n_segments, 4);
    change(f, 1, header + FRAME + 30, 3);
    expect_bad(f, OSW_JOURNAL_DAMAGED, 1, (uint64_t)header + FRAME, 5, N - 5,
               "checksum");
    change(f, 1, header + FRAME + 30, 3);
    cut(f, 2, header + FRAME);
    expect_bad(f, OSW_JOURNAL_DAMAGED, 2, (uint64_t)header + FRAME, 8, 3,
               "records are missing");
}

static void a_bad_header_is_told(void **state)
{
    const struct folder *f = *state;

    make(f, (size_t)header + 3 * FRAME);
    change(f, 2, 100, 1);
    expect_bad(f, OSW_JOURNAL_DAMAGED, 2, 0, 7, 3, "header is damaged");
    change(f, 2, 100, 1);
    cut(f, 3, 17); /* the last one: never used */
    expect_bad(f, OSW_JOURNAL_TORN, 3, 0, 10, 0, "not a journal segment");
}

static void no_journal_is_an_error(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_journal_verdict v;

    assert_int_equal(osw_journal_verify(f->journal, &v, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "holds no journal"));
}

static void every_allocation_failure_is_reported(void **state)
{
    bool struck = true;

    make(*state, 0);
    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_journal_verdict v;
        int rc;

        chaos_arm(n);
        rc = osw_journal_verify(((struct folder *)*state)->journal, &v, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (struck)
            assert_int_equal(err.status, OSW_NO_MEMORY);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_journal_that_was_left_alone_is_whole),
        T(a_torn_tail_is_told_with_its_place),
        T(a_flipped_bit_is_told_with_its_place_and_reason),
        T(damage_of_an_earlier_segment_is_told),
        T(a_bad_header_is_told),
        T(no_journal_is_an_error),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/journal_verify", tests, NULL,
                                       NULL);
}

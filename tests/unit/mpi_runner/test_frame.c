/* test_frame.c - many small messages in a frame, a long one in many */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_runner/transport/frame.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A message of n bytes that all depend on its seed. */
struct blob {
    uint8_t seed;
    size_t n;
};

static int encode_blob(const void *msg, struct osw_writer *w,
                       struct osw_error *err)
{
    const struct blob *b = msg;

    (void)err;
    for (size_t i = 0; i < b->n; i++)
        osw_write_u8(w, (uint8_t)(b->seed + i));
    return 0;
}

static void post(struct osw_outbox *o, uint8_t type, struct blob b)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_outbox_add(o, type, encode_blob, &b, &err), 0);
}

static void assert_blob(struct blob want, const void *data, size_t n)
{
    const unsigned char *p = data;

    assert_int_equal(n, want.n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p[i], (uint8_t)(want.seed + i));
}

/* Carry everything across; returns the number of frames. */
static int carry(struct osw_outbox *o, struct osw_inbox *in,
                 const struct blob *want, size_t n_want)
{
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char frame[OSW_FRAME_MAX];
    size_t len, n_got = 0;
    int n_frames = 0;

    while ((len = osw_outbox_peek(o, frame)) > 0) {
        const void *data;
        uint8_t type;
        size_t n;

        assert_in_range(len, 1, OSW_FRAME_MAX);
        osw_outbox_advance(o);
        assert_int_equal(osw_inbox_open(in, frame, len, &err), 0);
        while (osw_inbox_next(in, &type, &data, &n, &err) == 1) {
            assert_true(n_got < n_want);
            assert_int_equal(type, 1 + n_got % 200);
            assert_blob(want[n_got++], data, n);
        }
        assert_int_equal(err.status, OSW_OK);
        n_frames++;
    }
    assert_int_equal(n_got, n_want);
    assert_int_equal(osw_outbox_waiting(o), 0);
    return n_frames;
}

/* A frame has room for 3996 bytes, each piece's head of 4 included. */
static const struct {
    const char *what;
    struct blob blobs[4];
    size_t n;
    int n_frames;
} rows[] = {
    /* clang-format off */
    { "nothing",                      { {0, 0} }, 0, 0 },
    { "an empty message",             { {0, 0} }, 1, 1 },
    { "three small ones",             { {1, 10}, {2, 20}, {3, 30} }, 3, 1 },
    { "exactly a frame",              { {1, 3992} }, 1, 1 },
    { "one byte more than a frame",   { {1, 3993} }, 1, 2 },
    { "two that do not fit together", { {1, 2000}, {2, 2000} }, 2, 2 },
    { "two that just fit together",   { {1, 1994}, {2, 1994} }, 2, 1 },
    { "long, then short after it",   { {1, 5000}, {2, 100} }, 2, 2 },
    { "short, then long from a new frame", { {1, 100}, {2, 5000} }, 2, 3 },
    { "as long as can be",            { {9, OSW_MESSAGE_MAX} }, 1, 66 },
    /* clang-format on */
};

static void messages_arrive_as_they_were_sent(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_outbox o = OSW_OUTBOX_INIT;
        struct osw_inbox in = OSW_INBOX_INIT;

        print_message("  case: %s\n", rows[i].what);
        for (size_t k = 0; k < rows[i].n; k++)
            post(&o, (uint8_t)(1 + k), rows[i].blobs[k]);
        assert_int_equal(carry(&o, &in, rows[i].blobs, rows[i].n),
                         rows[i].n_frames);
        osw_outbox_free(&o);
        osw_inbox_free(&in);
    }
}

static void a_frame_that_was_not_taken_is_built_again(void **state)
{
    struct osw_outbox o = OSW_OUTBOX_INIT;
    unsigned char first[OSW_FRAME_MAX], again[OSW_FRAME_MAX];
    size_t n;

    (void)state;
    post(&o, 1, (struct blob){1, 9000});
    n = osw_outbox_peek(&o, first);
    post(&o, 2, (struct blob){2, 10});
    assert_int_equal(osw_outbox_peek(&o, again), n);
    assert_memory_equal(first, again, n);
    osw_outbox_advance(&o);
    assert_int_equal(osw_outbox_peek(&o, again), n);
    assert_memory_not_equal(first, again, n);
    osw_outbox_free(&o);
}

/* What is out in part must be followed by its rest. */
static void what_is_dropped_is_never_sent(void **state)
{
    static const struct {
        const char *what;
        struct blob first;
        int n_out; /* frames, before */
        size_t n_kept;
    } dropped[] = {
        {"nothing is out", {1, 9000}, 0, 0},
        {"a message is out in part", {1, 9000}, 2, 1},
        {"a message is out", {1, 3992}, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(dropped); i++) {
        const struct blob last = {3, 30}, both[] = {dropped[i].first, last};
        struct osw_outbox o = OSW_OUTBOX_INIT;
        struct osw_inbox in = OSW_INBOX_INIT;
        struct osw_error err = OSW_ERROR_INIT;
        unsigned char frame[OSW_FRAME_MAX];
        const void *data;
        uint8_t type;
        size_t n;

        print_message("  case: %s\n", dropped[i].what);
        post(&o, 1, dropped[i].first);
        post(&o, 2, (struct blob){2, 20});
        for (int k = 0; k < dropped[i].n_out; k++) {
            n = osw_outbox_peek(&o, frame);
            osw_outbox_advance(&o);
            assert_int_equal(osw_inbox_open(&in, frame, n, &err), 0);
            (void)!osw_inbox_next(&in, &type, &data, &n, &err);
        }
        osw_outbox_peek(&o, frame); /* the transport was full */
        osw_outbox_drop(&o);
        assert_int_equal(osw_outbox_waiting(&o) > 0, dropped[i].n_kept);
        post(&o, (uint8_t)(1 + dropped[i].n_kept), last);
        carry(&o, &in, both + 1 - dropped[i].n_kept, 1 + dropped[i].n_kept);
        osw_outbox_free(&o);
        osw_inbox_free(&in);
    }
}

/* Messages of any length, sent and taken in any rhythm. */
static void order_and_content_survive_any_rhythm(void **state)
{
    enum { N = 3000 };
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct osw_inbox in = OSW_INBOX_INIT;
    struct blob *sent = calloc(N, sizeof(*sent));
    size_t n_sent = 0, n_got = 0;
    uint32_t x = 12345;

    (void)state;
    assert_non_null(sent);
    while (n_got < N) {
        struct osw_error err = OSW_ERROR_INIT;
        unsigned char frame[OSW_FRAME_MAX];
        const void *data;
        uint8_t type;
        size_t n;

        x = x * 1664525u + 1013904223u;
        if (x >> 31 && n_sent < N) {
            struct blob b = {(uint8_t)(x >> 8), (x >> 12) % 700};

            if ((x >> 22) % 64 == 0)
                b.n *= 50;
            sent[n_sent] = b;
            post(&o, (uint8_t)(1 + n_sent++ % 200), b);
            continue;
        }
        n = osw_outbox_peek(&o, frame);
        if (n == 0)
            continue;
        osw_outbox_advance(&o);
        assert_int_equal(osw_inbox_open(&in, frame, n, &err), 0);
        while (osw_inbox_next(&in, &type, &data, &n, &err) == 1) {
            assert_int_equal(type, 1 + n_got % 200);
            assert_blob(sent[n_got++], data, n);
        }
    }
    osw_outbox_free(&o);
    osw_inbox_free(&in);
    free(sent);
}

static void a_message_beyond_the_limit_is_refused_and_leaves_no_trace(void **s)
{
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    struct blob b = {1, OSW_MESSAGE_MAX + 1};

    (void)s;
    assert_int_equal(osw_outbox_add(&o, 1, encode_blob, &b, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "message longer than 262144 bytes");
    assert_int_equal(osw_outbox_waiting(&o), 0);
    osw_outbox_free(&o);
}

static void without_memory_nothing_is_queued(void **state)
{
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct blob b = {1, 20000};
    int n = 0;

    (void)state;
    for (bool struck = true; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        osw_outbox_free(&o);
        chaos_arm(n);
        rc = osw_outbox_add(&o, 1, encode_blob, &b, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        assert_int_equal(osw_outbox_waiting(&o) == 0, struck);
    }
    assert_int_equal(n, 7); /* 1, 2, 4, 8, 16, 32 KiB */
    osw_outbox_free(&o);
}

/* Frames from a stranger; each wrong in one way.  0x6f 's' is the magic. */
static const struct {
    const char *what;
    unsigned char bytes[16];
    size_t n;
    const char *want;
} bad[] = {
    /* clang-format off */
    { "empty", { 0 }, 0, "frame of 0 bytes ends in its head" },
    { "cut in its head", { 0x6f, 's', 1 }, 3, "frame of 3 bytes ends in its head" },
    { "another magic", { 'x', 's', 1, 0 }, 4, "frame starts with 0x7378, expected 0x736f" },
    { "another version", { 0x6f, 's', 2, 0 }, 4, "frame of version 2, expected 1" },
    { "cut in a piece's head", { 0x6f, 's', 1, 0, 7, 0, 1 }, 7,
      "frame ends inside a message of type 7" },
    { "cut in a piece", { 0x6f, 's', 1, 0, 7, 0, 3, 0, 1, 2 }, 10,
      "frame ends inside a message of type 7" },
    { "odd continuation", { 0x6f, 's', 1, 0, 7, 2, 1, 0, 1 }, 9,
      "message of type 7 with continuation 2, expected 0 or 1" },
    { "interrupted", { 0x6f, 's', 1, 0, 7, 1, 0, 0, 8, 0, 0, 0 }, 12,
      "message of type 7 interrupted by type 8" },
    /* clang-format on */
};

static void bad_frames_are_refused_and_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_inbox in = OSW_INBOX_INIT;
        struct osw_error err = OSW_ERROR_INIT;
        const void *data;
        uint8_t type;
        size_t n;
        int rc;

        print_message("  case: %s\n", bad[i].what);
        rc = osw_inbox_open(&in, bad[i].bytes, bad[i].n, &err);
        if (rc == 0)
            rc = osw_inbox_next(&in, &type, &data, &n, &err);
        assert_int_equal(rc, -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_string_equal(err.text, bad[i].want);
        osw_inbox_free(&in);
    }
}

static void a_frame_that_is_too_long_is_refused(void **state)
{
    static unsigned char frame[OSW_FRAME_MAX + 1] = {0x6f, 's', 1, 0};
    struct osw_inbox in = OSW_INBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_inbox_open(&in, frame, sizeof(frame), &err), -1);
    assert_string_equal(err.text, "frame of 4001 bytes, at most 4000");
}

/* Pieces without end must not fill the memory. */
static void an_endless_message_is_refused(void **state)
{
    static unsigned char frame[OSW_FRAME_MAX] = {0x6f, 's', 1,    0,
                                                 7,    1,   0x98, 0x0f};
    struct osw_inbox in = OSW_INBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    const void *data;
    uint8_t type;
    size_t n;
    int rc = 0;

    (void)state;
    for (int i = 0; i < 66 && rc == 0; i++) {
        assert_int_equal(osw_inbox_open(&in, frame, sizeof(frame), &err), 0);
        rc = osw_inbox_next(&in, &type, &data, &n, &err);
    }
    assert_int_equal(rc, -1);
    assert_string_equal(err.text,
                        "message of type 7 is longer than 262144 bytes");
    osw_inbox_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_as_they_were_sent),
        cmocka_unit_test(a_frame_that_was_not_taken_is_built_again),
        cmocka_unit_test(what_is_dropped_is_never_sent),
        cmocka_unit_test(order_and_content_survive_any_rhythm),
        cmocka_unit_test(
            a_message_beyond_the_limit_is_refused_and_leaves_no_trace),
        cmocka_unit_test(without_memory_nothing_is_queued),
        cmocka_unit_test(bad_frames_are_refused_and_say_why),
        cmocka_unit_test(a_frame_that_is_too_long_is_refused),
        cmocka_unit_test(an_endless_message_is_refused),
    };

    return cmocka_run_group_tests_name("mpi_runner/frame", tests, NULL, NULL);
}

/* test_msg.c - messages between coordinator and workers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_runner/transport/msg.h"
#include "ops/record/state.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const uint32_t ks[] = {0, 2, 5};
static const uint64_t keys[] = {11, UINT64_MAX, 33};
#define DIGITS                                                                 \
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
static const char *const impls[] = {"plain", "", "openblas"};

static const struct osw_msg_member members[OSW_GANG_MAX] = {{1, 0}, {2, 0}};
static const char bytes[OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE] = "all parts";

/* One of each type, with values at the edges of their types. */
/* clang-format off */
static const struct osw_msg samples[] = {
    { OSW_MSG_HELLO, .u.hello = { 1, 4242, -1, 8, "node1", 77 } },
    { OSW_MSG_CAMPAIGN, .u.campaign = { "cpu", "sweep", 2, UINT64_MAX, 1 << 30,
      -5, 1, 1, 1, 1, 1 << 20, 12, "", "/usr/include", "/usr/libexec/s", "/usr/bin/python3",
      1, 1000000000, INT64_MAX, 77, "node0", 4241, UINT64_MAX, "/data/r.h5.journal", 3 } },
    { OSW_MSG_READY, .u.ready = { 1, { "cuda", -1, "GPU-1", "H200", "580.65", "12.8",
      "13.0", "9.0", 132, UINT64_MAX, 1980, 0.5, 250, 0.003, INT64_MAX, "", "ok" } } },
    { OSW_MSG_LEAVE, .u.leave = { "device fell off the bus", 1 } },
    { OSW_MSG_BUNDLE, .u.bundle = { 7, 2, 1234567890123, "ops/mm", "((1,), {})",
      "normal", "((0,), {})", "ones", "onednn,plain", OSW_CHECK_FREIVALDS, 1, 2e12, 0.5, 77, 7, 99, 0, 0, 0, 0, 3, ks, keys,
      impls, NULL } },
    { OSW_MSG_BUNDLE, .u.bundle = { 7, 2, 1234567890123, "ops/mm", "((1,), {})",
      "normal", "((0,), {})", "ones", "onednn,plain", OSW_CHECK_FULL, 1, 2e12, 0.5, 77, 7, 99, UINT64_MAX,
      OSW_GANG_MAX - 1, OSW_GANG_MAX, 1, 3, ks, keys, impls, members } },
    { OSW_MSG_DONE, .u.done = { 7, 2, 123 } },
    { OSW_MSG_ACK, .u.ack = { 99 } },
    { OSW_MSG_HEARTBEAT, .u.heartbeat = { 3 } },
    { OSW_MSG_LOG, .u.log = { "something happened" } },
    { OSW_MSG_STOP, .u.stop = { 1 } },
    { OSW_MSG_SUMMARY, .u.summary = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 } },
    { OSW_MSG_END, .u.end = { 1 } },
    { OSW_MSG_RECALL, .u.recall = { 4 } },
    { OSW_MSG_PROVED, .u.proved = { 250000 } },
    { OSW_MSG_GIVEN, .u.given = { UINT32_MAX, 1, 3 } },
    { OSW_MSG_WANT, .u.want = { DIGITS } },
    { OSW_MSG_OBJECT, .u.object = { DIGITS, OSW_OBJECT_MAKE, 0, 0, "", 0, NULL } },
    { OSW_MSG_OBJECT, .u.object = { DIGITS, OSW_OBJECT_CODE, OSW_MSG_MAX_OBJECT,
      OSW_MSG_MAX_OBJECT - 4, DIGITS, 4, "\x7f" "ELF" } },
    { OSW_MSG_PART, .u.part = { UINT64_MAX, 7, OSW_GANG_MAX_EXCHANGE, bytes } },
    { OSW_MSG_PART, .u.part = { 1, 1, 0, bytes } },
    { OSW_MSG_PARTS, .u.parts = { UINT64_MAX, 7, sizeof(bytes), bytes } },
    { OSW_MSG_BROKEN, .u.broken = { 5, "rank 3 is lost" } },
    { OSW_MSG_FLOW, .u.flow = { UINT64_MAX, 7, 65, UINT64_MAX, sizeof(bytes), bytes } },
    { OSW_MSG_FLOW, .u.flow = { 1, 1, 0, 1 << 20, 0, NULL } },
};
/* clang-format on */

/* The payload of a message alone in an outbox, as a frame carries it. */
static size_t payload_of(const struct osw_msg *m, unsigned char *out,
                         size_t size)
{
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct osw_inbox in = OSW_INBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char frame[OSW_FRAME_MAX];
    const void *data;
    uint8_t type;
    size_t n;

    assert_int_equal(osw_msg_post(&o, m, &err), 0);
    for (;;) {
        n = osw_outbox_peek(&o, frame);
        assert_true(n > 0);
        osw_outbox_advance(&o);
        assert_int_equal(osw_inbox_open(&in, frame, n, &err), 0);
        if (osw_inbox_next(&in, &type, &data, &n, &err) == 1)
            break;
    }
    assert_int_equal(type, m->type);
    assert_true(n <= size);
    memcpy(out, data, n);
    osw_outbox_free(&o);
    osw_inbox_free(&in);
    return n;
}

static struct osw_msg_space space;

static void decode(int to, const struct osw_msg *m, const unsigned char *data,
                   size_t n, struct osw_msg *got)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(
        osw_msg_decode(to, (uint8_t)m->type, data, n, &space, got, &err), 0);
    assert_int_equal(got->type, m->type);
}

static int receiver_of(const struct osw_msg *m)
{
    static const int to_worker[] = {
        OSW_MSG_CAMPAIGN, OSW_MSG_BUNDLE, OSW_MSG_ACK,   OSW_MSG_STOP,
        OSW_MSG_END,      OSW_MSG_RECALL, OSW_MSG_PARTS, OSW_MSG_FLOW};

    for (size_t i = 0; i < N_ELEM(to_worker); i++)
        if ((int)m->type == to_worker[i])
            return OSW_MSG_TO_WORKER;
    return OSW_MSG_TO_COORDINATOR;
}

/* What was decoded says the same again. */
static void every_message_survives_the_way_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(samples); i++) {
        unsigned char first[4096], second[4096];
        struct osw_msg got;
        size_t n;

        print_message("  case: %s\n", osw_msg_name((int)samples[i].type));
        n = payload_of(&samples[i], first, sizeof(first));
        decode(receiver_of(&samples[i]), &samples[i], first, n, &got);
        assert_int_equal(payload_of(&got, second, sizeof(second)), n);
        assert_memory_equal(first, second, n);
    }
}

static void a_bundle_keeps_all_its_fields(void **state)
{
    const struct osw_msg_bundle *b;
    unsigned char data[4096];
    struct osw_msg got;

    (void)state;
    decode(OSW_MSG_TO_WORKER, &samples[4], data,
           payload_of(&samples[4], data, sizeof(data)), &got);
    b = &got.u.bundle;
    assert_int_equal(b->bundle, 7);
    assert_int_equal(b->attempt, 2);
    assert_true(b->first_cell == 1234567890123);
    assert_string_equal(b->op_dir, "ops/mm");
    assert_string_equal(b->case_text, "((1,), {})");
    assert_string_equal(b->fill, "normal");
    assert_string_equal(b->warm_up, "((0,), {})");
    assert_string_equal(b->warm_up_fill, "ones");
    assert_string_equal(b->baselines, "onednn,plain");
    assert_int_equal(b->check, OSW_CHECK_FREIVALDS);
    assert_int_equal(b->time, 1);
    assert_true(b->flops == 2e12 && b->bytes == 0.5 && b->cost_ns == 77);
    assert_int_equal(b->call_ns, 7);
    assert_int_equal(b->n, 3);
    assert_int_equal(b->k[2], 5);
    assert_true(b->keys[1] == UINT64_MAX);
    assert_string_equal(b->impls[1], "");
    assert_string_equal(b->impls[2], "openblas");
}

static void a_result_carries_the_longest_record(void **state)
{
    static char text[OSW_RECORD_MAX_TEXT];
    static float times[OSW_RECORD_MAX_SAMPLES];
    static unsigned char data[OSW_MESSAGE_MAX];
    struct osw_msg m = {OSW_MSG_RESULT, .u.result = {.bundle = 5, .k = 1}};
    struct osw_msg got;
    size_t n;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    for (size_t i = 0; i < N_ELEM(times); i++)
        times[i] = (float)i;
    osw_record_init(&m.u.result.record);
    m.u.result.record.status_id = OSW_STATE_PASS;
    m.u.result.record.cell = 17;
    m.u.result.record.output = text;
    m.u.result.record.samples = times;
    m.u.result.record.sample_n = N_ELEM(times);
    n = payload_of(&m, data, sizeof(data));
    decode(OSW_MSG_TO_COORDINATOR, &m, data, n, &got);
    assert_int_equal(got.u.result.bundle, 5);
    assert_int_equal(got.u.result.k, 1);
    assert_int_equal(got.u.result.record.cell, 17);
    assert_string_equal(got.u.result.record.output, text);
    assert_int_equal(got.u.result.record.sample_n, N_ELEM(times));
    assert_memory_equal(got.u.result.record.samples, times, sizeof(times));
}

/* Cut anywhere, a message is refused, and its error names it. */
static void every_message_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(samples); i++) {
        unsigned char data[4096];
        size_t n = payload_of(&samples[i], data, sizeof(data));

        for (size_t cut = 0; cut < n; cut++) {
            struct osw_error err = OSW_ERROR_INIT;
            unsigned char *part = malloc(cut ? cut : 1);
            struct osw_msg got;
            int rc;

            assert_non_null(part);
            memcpy(part, data, cut);
            rc = osw_msg_decode(receiver_of(&samples[i]),
                                (uint8_t)samples[i].type, part, cut, &space,
                                &got, &err);
            free(part);
            assert_int_equal(rc, -1);
            assert_int_equal(err.status, OSW_PROTOCOL);
            assert_non_null(
                strstr(err.text, osw_msg_name((int)samples[i].type)));
        }
    }
}

/* --- each wrong in one way --- */

static const struct {
    const char *what;
    int to;
    uint8_t type;
    const char *bytes;
    size_t n;
    const char *want;
} bad[] = {
    /* clang-format off */
    { "type 0", OSW_MSG_TO_WORKER, 0, "", 0, "message of unknown type 0" },
    { "type of tomorrow", OSW_MSG_TO_WORKER, 23, "", 0, "message of unknown type 23" },
    { "largest type", OSW_MSG_TO_WORKER, 255, "", 0, "message of unknown type 255" },
    { "a worker's message to a worker", OSW_MSG_TO_WORKER, OSW_MSG_DONE, "", 0,
      "message 'done' is not for a worker" },
    { "an order to the coordinator", OSW_MSG_TO_COORDINATOR, OSW_MSG_STOP, "\0", 1,
      "message 'stop' is not for a coordinator" },
    { "cut in a field", OSW_MSG_TO_COORDINATOR, OSW_MSG_DONE, "\1\0\0\0\1\0", 6,
      "message 'done': ends in field 'attempt'" },
    { "one byte too many", OSW_MSG_TO_WORKER, OSW_MSG_STOP, "\0\0", 2,
      "message 'stop': 1 bytes too many" },
    { "text without its end", OSW_MSG_TO_COORDINATOR, OSW_MSG_LOG, "\2\0abc", 5,
      "message 'log': ends in field 'text'" },
    { "NUL inside a text", OSW_MSG_TO_COORDINATOR, OSW_MSG_LOG, "\2\0a\0\0", 5,
      "message 'log': ends in field 'text'" },
    { "text longer than the message", OSW_MSG_TO_COORDINATOR, OSW_MSG_LEAVE, "\377\377a", 3,
      "message 'leave': ends in field 'reason'" },
    { "device cut off", OSW_MSG_TO_COORDINATOR, OSW_MSG_READY, "\1\3\0cpu\0\0\0", 9,
      "message 'ready': device ends in column 'index'" },
    { "a kind that is too long", OSW_MSG_TO_COORDINATOR, OSW_MSG_READY,
      "\1\20\0abcdefghijklmnop\0", 20,
      "message 'ready': 'kind' of a device has 16 bytes, at most 15" },
    { "an id that is too short", OSW_MSG_TO_COORDINATOR, OSW_MSG_WANT, "\3\0abc\0", 6,
      "message 'want': id 'abc', expected 64 digits" },
    { "a part that is too long", OSW_MSG_TO_COORDINATOR, OSW_MSG_PART,
      "12345678" "1234" "\61\0" "0123456789012345678901234567890123456789012345678", 63,
      "message 'part': 49 bytes, expected at most 48" },
    { "a part that is cut off", OSW_MSG_TO_COORDINATOR, OSW_MSG_PART,
      "12345678" "1234" "\2\0" "0", 15, "message 'part': ends in its bytes" },
    { "parts at a coordinator", OSW_MSG_TO_COORDINATOR, OSW_MSG_PARTS, "", 0,
      "message 'parts' is not for a coordinator" },
    { "record cut off", OSW_MSG_TO_COORDINATOR, OSW_MSG_RESULT, "\1\0\0\0\0\0\0\0xx", 10,
      "message 'result': record ends before its last field" },
    /* clang-format on */
};

static void bad_messages_are_refused_and_name_the_culprit(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_msg got;

        print_message("  case: %s\n", bad[i].what);
        assert_int_equal(osw_msg_decode(bad[i].to, bad[i].type, bad[i].bytes,
                                        bad[i].n, &space, &got, &err),
                         -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_string_equal(err.text, bad[i].want);
    }
}

/* A good bundle with one value changed: what, offset from its end, bytes. */
static void bad_bundles_are_refused_and_name_the_culprit(void **state)
{
    static const char *const none[] = {"x"};
    struct osw_msg m = samples[4], got;
    unsigned char data[4096];
    struct osw_error err = OSW_ERROR_INIT;
    size_t n, n_cells = 2 + 4 + 8 + 4; /* u16, u32, u64, "x" */

    (void)state;
    m.u.bundle.n = 1;
    m.u.bundle.impls = none;
    n = payload_of(&m, data, sizeof(data));
    data[n - n_cells] = 0; /* cells */
    assert_int_equal(osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_BUNDLE, data, n,
                                    &space, &got, &err),
                     -1);
    assert_string_equal(err.text,
                        "message 'bundle': 0 cells, expected 1 to 512");
    data[n - n_cells] = 1;
    data[n - n_cells - 59] = 9; /* check, before time, numbers and gang */
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_BUNDLE, data, n,
                                    &space, &got, &err),
                     -1);
    assert_string_equal(err.text, "message 'bundle': unknown check 9");
}

static void a_rank_outside_of_its_gang_is_refused(void **state)
{
    static const struct {
        uint32_t rank, size;
        const char *want; /* NULL: it is good */
    } rows[] = {
        {0, 0, NULL},
        {0, 2, NULL},
        {OSW_GANG_MAX - 1, OSW_GANG_MAX, NULL},
        {0, 1, "rank 0 of a gang of 1, expected a gang of 2 to 64"},
        {2, 2, "rank 2 of a gang of 2, expected a gang of 2 to 64"},
        {0, OSW_GANG_MAX + 1, "rank 0 of a gang of 65, expected a gang of 2 "},
    };

    static const struct osw_msg_member all[OSW_GANG_MAX + 1];

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_msg m = samples[4], got;
        unsigned char data[4096];
        size_t n;
        int rc;

        m.u.bundle.rank = rows[i].rank;
        m.u.bundle.size = rows[i].size;
        m.u.bundle.members = all;
        n = payload_of(&m, data, sizeof(data));
        rc = osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_BUNDLE, data, n, &space,
                            &got, &err);
        assert_int_equal(rc, rows[i].want ? -1 : 0);
        if (rows[i].want)
            assert_non_null(strstr(err.text, rows[i].want));
        else
            assert_int_equal(got.u.bundle.rank, rows[i].rank);
    }
}

/* Members name the first one of their node. */
static void members_are_on_one_node_or_on_several(void **state)
{
    static const struct {
        struct osw_msg_member members[3];
        bool one_node;
        const char *want; /* NULL: it is good */
    } rows[] = {
        {{{4, 0}, {2, 0}, {9, 0}}, true, NULL},
        {{{4, 0}, {2, 1}, {9, 0}}, false, NULL},
        {{{4, 0}, {2, 1}, {9, 2}}, false, NULL},
        {{{4, 1}, {2, 1}, {9, 1}}, false, "member 0 with leader 1, expected"},
        {{{4, 0}, {2, 0}, {9, 1}}, false, "member 2 with leader 1, expected"},
        {{{4, 0}, {2, 0}, {9, 3}}, false, "member 2 with leader 3, expected"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_msg m = samples[4], got;
        unsigned char data[4096];
        size_t n;
        int rc;

        m.u.bundle.size = 3;
        m.u.bundle.members = rows[i].members;
        n = payload_of(&m, data, sizeof(data));
        rc = osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_BUNDLE, data, n, &space,
                            &got, &err);
        assert_int_equal(rc, rows[i].want ? -1 : 0);
        if (rows[i].want) {
            assert_non_null(strstr(err.text, rows[i].want));
            continue;
        }
        assert_memory_equal(got.u.bundle.members, rows[i].members,
                            sizeof(rows[i].members));
        assert_int_equal(osw_msg_on_one_node(&got.u.bundle), rows[i].one_node);
    }
}

/* A good object with one value changed. */
static void bad_objects_are_refused_and_name_the_culprit(void **state)
{
    static const struct osw_msg_object good = {
        DIGITS, OSW_OBJECT_CODE, 100, 90, DIGITS, 10, "0123456789"};
    static const char twisted[] =
        "../../223344556677889aabbccddeeff00112233445566778899aabbccddeeff";
    struct {
        const char *what;
        struct osw_msg_object o;
        const char *want;
    } rows[] = {
        {"kind", good, "unknown kind 4"},
        {"past the end", good, "10 bytes at 91 of 100"},
        {"offset", good, "10 bytes at 4294967295 of 100"},
        {"size", good, "10 bytes at 90 of 33554433, expected at most 3800 of "},
        {"id", good, "id '../../22"},
        {"sum", good, "kind 2 with 10 bytes and SHA-256 'abc'"},
        {"no bytes", good, "kind 3 with 0 bytes"},
        {"a word with a size", good, "kind 1 with 0 bytes"},
    };

    (void)state;
    rows[0].o.kind = 4;
    rows[1].o.offset = 91;
    rows[2].o.offset = UINT32_MAX;
    rows[3].o.size = OSW_MSG_MAX_OBJECT + 1;
    rows[4].o.id = twisted;
    rows[5].o.sha256 = "abc";
    rows[6].o.kind = OSW_OBJECT_REFUSAL;
    rows[6].o.n = 0;
    rows[7].o.kind = OSW_OBJECT_MAKE;
    rows[7].o.n = 0;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_msg m = {OSW_MSG_OBJECT, .u.object = rows[i].o}, got;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_outbox o = OSW_OUTBOX_INIT;
        unsigned char data[4096];
        struct osw_writer w = osw_writer(data, sizeof(data));

        print_message("  case: %s\n", rows[i].what);
        assert_int_equal(osw_msg_post(&o, &m, &err), -1);
        assert_non_null(strstr(err.text, rows[i].want));
        osw_outbox_free(&o);
        osw_write_str(&w, rows[i].o.id);
        osw_write_u8(&w, rows[i].o.kind);
        osw_write_u32(&w, rows[i].o.size);
        osw_write_u32(&w, rows[i].o.offset);
        osw_write_str(&w, rows[i].o.sha256);
        osw_write_u16(&w, (uint16_t)rows[i].o.n);
        memcpy(osw_write_raw(&w, rows[i].o.n), rows[i].o.bytes, rows[i].o.n);
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_OBJECT, data,
                                        w.used, &space, &got, &err),
                         -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_non_null(strstr(err.text, "message 'object': "));
        assert_non_null(strstr(err.text, rows[i].want));
    }
}

static void periods_that_never_end_are_refused(void **state)
{
    struct osw_msg m = samples[1], got;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char data[4096];
    size_t n;

    (void)state;
    m.u.campaign.heartbeat_ns = 0;
    n = payload_of(&m, data, sizeof(data));
    assert_int_equal(osw_msg_decode(OSW_MSG_TO_WORKER, OSW_MSG_CAMPAIGN, data,
                                    n, &space, &got, &err),
                     -1);
    assert_string_equal(err.text,
                        "message 'campaign': expected periods above 0, found "
                        "0 and 9223372036854775807 ns");
}

static void texts_that_the_wire_would_cut_are_not_sent(void **state)
{
    static char text[70001];
    struct osw_msg m = {OSW_MSG_LEAVE, .u.leave = {text}};
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    assert_int_equal(osw_msg_post(&o, &m, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "message 'leave': 'reason' has 70000 bytes, "
                                  "at most 65535");
    assert_int_equal(osw_outbox_waiting(&o), 0);
    osw_outbox_free(&o);
}

static void numbers_of_messages_never_change(void **state)
{
    static const char *const names[] = {
        "?",       "hello", "campaign", "ready",     "leave",  "bundle",
        "result",  "done",  "ack",      "heartbeat", "log",    "stop",
        "summary", "end",   "recall",   "given",     "proved", "want",
        "object",  "part",  "parts",    "broken",    "flow",   "?"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(names); i++)
        assert_string_equal(osw_msg_name((int)i), names[i]);
    assert_string_equal(osw_msg_name(-1), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_survives_the_way_there),
        cmocka_unit_test(a_bundle_keeps_all_its_fields),
        cmocka_unit_test(a_result_carries_the_longest_record),
        cmocka_unit_test(every_message_cut_anywhere_is_refused),
        cmocka_unit_test(bad_messages_are_refused_and_name_the_culprit),
        cmocka_unit_test(bad_bundles_are_refused_and_name_the_culprit),
        cmocka_unit_test(a_rank_outside_of_its_gang_is_refused),
        cmocka_unit_test(members_are_on_one_node_or_on_several),
        cmocka_unit_test(bad_objects_are_refused_and_name_the_culprit),
        cmocka_unit_test(periods_that_never_end_are_refused),
        cmocka_unit_test(texts_that_the_wire_would_cut_are_not_sent),
        cmocka_unit_test(numbers_of_messages_never_change),
    };

    return cmocka_run_group_tests_name("mpi_runner/msg", tests, NULL, NULL);
}

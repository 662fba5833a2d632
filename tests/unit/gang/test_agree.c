/* tests/unit/gang/test_agree.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "worker/judge/gang/agree.h"

enum { MEMBERS = 3 };

/* Members are threads; an exchange is two meetings of all of them. */
struct room {
    pthread_barrier_t barrier;
    unsigned char said[MEMBERS][OSW_GANG_MAX_EXCHANGE];
    uint32_t fails_at; /* this exchange of each member, from 1; 0: none */
};

struct member {
    struct room *room;
    struct osw_gang gang;
    struct osw_agree agree;
    osw_arena_t *memory;
    uint32_t n;
    void (*act)(struct member *m);
    /* What it is told to say, and what it got. */
    bool says, all, any, bad;
    double spread;
    struct osw_findings findings;
    struct osw_record record;
};

static int exchange(void *arg, const void *mine, uint32_t bytes, void *all,
                    int64_t deadline_ns, struct osw_error *err)
{
    struct member *m = arg;

    (void)deadline_ns;
    if (++m->n == m->room->fails_at)
        return osw_fail(err, OSW_CHILD, "a member is lost");
    memcpy(m->room->said[m->gang.rank], mine, bytes);
    pthread_barrier_wait(&m->room->barrier);
    for (int i = 0; i < MEMBERS; i++)
        memcpy((char *)all + (size_t)i * bytes, m->room->said[i], bytes);
    pthread_barrier_wait(&m->room->barrier);
    return 0;
}

static void *run(void *arg)
{
    struct member *m = arg;

    m->act(m);
    return NULL;
}

static void open_all(struct room *room, struct member all[MEMBERS])
{
    memset(all, 0, sizeof(all[0]) * MEMBERS);
    room->fails_at = 0;
    assert_int_equal(pthread_barrier_init(&room->barrier, NULL, MEMBERS), 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        all[i].room = room;
        all[i].gang = (struct osw_gang){.rank = i,
                                        .size = MEMBERS,
                                        .one_node = true,
                                        .exchange = exchange,
                                        .arg = &all[i]};
        all[i].agree = osw_agree_of(&all[i].gang);
        all[i].memory = osw_arena_create();
        osw_record_init(&all[i].record);
    }
}

static void close_all(struct room *room, struct member all[MEMBERS])
{
    for (int i = 0; i < MEMBERS; i++)
        osw_arena_destroy(all[i].memory);
    pthread_barrier_destroy(&room->barrier);
}

static void run_all(struct member all[MEMBERS], void (*act)(struct member *m))
{
    pthread_t threads[MEMBERS];

    for (int i = 0; i < MEMBERS; i++) {
        all[i].act = act;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &all[i]), 0);
    }
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(threads[i], NULL);
}

static void ask(struct member *m)
{
    m->all = osw_agree_all(&m->agree, m->says);
    m->any = osw_agree_any(&m->agree, m->says);
}

static void all_members_get_the_same_answer(void **state)
{
    static const struct {
        bool says[MEMBERS], all, any;
    } rows[] = {{{1, 1, 1}, true, true},
                {{1, 0, 1}, false, true},
                {{0, 0, 0}, false, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct room room;
        struct member all[MEMBERS];

        open_all(&room, all);
        for (int k = 0; k < MEMBERS; k++)
            all[k].says = rows[i].says[k];
        run_all(all, ask);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(all[k].all, rows[i].all);
            assert_int_equal(all[k].any, rows[i].any);
        }
        close_all(&room, all);
    }
}

static void one_that_is_alone_agrees_with_itself(void **state)
{
    struct osw_agree alone = osw_agree_of(NULL);
    struct osw_findings f = {.fault = OSW_FAULT_VALUES, .untouched = true};
    struct osw_record r;

    (void)state;
    osw_record_init(&r);
    r.status_id = OSW_STATE_VALUE;
    r.reason = "wrong";
    assert_true(osw_agree_all(&alone, true));
    assert_false(osw_agree_any(&alone, false));
    osw_agree_findings(&alone, &f);
    assert_int_equal(f.all.fault, OSW_FAULT_VALUES);
    assert_true(f.all.untouched);
    assert_true(osw_agree_record(&alone, NULL, &r));
    assert_string_equal(r.reason, "wrong");
}

static void find(struct member *m)
{
    osw_agree_findings(&m->agree, &m->findings);
    m->bad = osw_agree_record(&m->agree, m->memory, &m->record);
}

#define FINE                                                                   \
    {                                                                          \
        .fault = OSW_FAULT_NONE                                                \
    }
#define LATE(waits)                                                            \
    {                                                                          \
        .fault = OSW_FAULT_ENDED, .end_state = OSW_STATE_TIMEOUT,              \
        .waited = (waits)                                                      \
    }

/* Each row: findings and states of three ranks, and who is the cause. */
static void the_cause_is_what_all_record(void **state)
{
    static const struct {
        const char *what;
        struct osw_findings found[MEMBERS];
        enum osw_state states[MEMBERS];
        enum osw_fault fault;
        uint32_t cause;
        bool bad;
    } rows[] = {
        /* clang-format off */
        { "all right", { FINE, FINE, FINE },
          { OSW_STATE_PASS, OSW_STATE_PASS, OSW_STATE_PASS },
          OSW_FAULT_NONE, 0, false },
        { "one is wrong", { FINE, { .fault = OSW_FAULT_VALUES }, FINE },
          { OSW_STATE_NONE, OSW_STATE_VALUE, OSW_STATE_NONE },
          OSW_FAULT_VALUES, 1, true },
        { "of two that are wrong the lower rank",
          { FINE, { .fault = OSW_FAULT_VALUES }, { .fault = OSW_FAULT_VALUES } },
          { OSW_STATE_NONE, OSW_STATE_VALUE, OSW_STATE_NAN },
          OSW_FAULT_VALUES, 1, true },
        { "a crash, and those that waited",
          { LATE(true), LATE(true),
            { .fault = OSW_FAULT_ENDED, .end_state = OSW_STATE_CRASH } },
          { OSW_STATE_TIMEOUT, OSW_STATE_TIMEOUT, OSW_STATE_CRASH },
          OSW_FAULT_ENDED, 2, true },
        { "an error, and those that waited",
          { LATE(true), { .fault = OSW_FAULT_RETURNED }, LATE(true) },
          { OSW_STATE_TIMEOUT, OSW_STATE_RETURNED, OSW_STATE_TIMEOUT },
          OSW_FAULT_RETURNED, 1, true },
        { "an error, and those that heard of it",
          { { .fault = OSW_FAULT_RETURNED, .follows = true },
            { .fault = OSW_FAULT_RETURNED, .follows = true },
            { .fault = OSW_FAULT_RETURNED } },
          { OSW_STATE_RETURNED, OSW_STATE_RETURNED, OSW_STATE_RETURNED },
          OSW_FAULT_RETURNED, 2, true },
        { "a rank that hangs, and those that wait for it",
          { LATE(true), LATE(true), LATE(false) },
          { OSW_STATE_TIMEOUT, OSW_STATE_TIMEOUT, OSW_STATE_TIMEOUT },
          OSW_FAULT_ENDED, 2, true },
        { "one that stayed away, and those that wait for it",
          { { .fault = OSW_FAULT_VALUES }, LATE(true), LATE(true) },
          { OSW_STATE_UNWRITTEN, OSW_STATE_TIMEOUT, OSW_STATE_TIMEOUT },
          OSW_FAULT_ENDED, 1, true },
        { "right calls, and a bad verdict on them", { FINE, FINE, FINE },
          { OSW_STATE_PASS, OSW_STATE_PASS, OSW_STATE_NONDETERMINISTIC },
          OSW_FAULT_NONE, 2, true },
        { "no verdict on most", { { .fault = OSW_FAULT_UNKNOWN }, FINE, FINE },
          { OSW_STATE_UNVERIFIED, OSW_STATE_NONE, OSW_STATE_NONE },
          OSW_FAULT_UNKNOWN, 0, false },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum osw_state want = rows[i].states[rows[i].cause];
        struct room room;
        struct member all[MEMBERS];
        char reason[32], own[MEMBERS][16];

        print_message("  %s\n", rows[i].what);
        open_all(&room, all);
        for (uint32_t k = 0; k < MEMBERS; k++) {
            snprintf(own[k], sizeof(own[k]), "it is %u", k);
            all[k].findings = rows[i].found[k];
            all[k].record.status_id = (uint8_t)rows[i].states[k];
            all[k].record.reason = own[k];
            all[k].record.rank = (int32_t)k + 10;
        }
        run_all(all, find);
        snprintf(reason, sizeof(reason), "rank %u: it is %u", rows[i].cause,
                 rows[i].cause);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(all[k].findings.all.fault, rows[i].fault);
            assert_int_equal(all[k].bad, rows[i].bad);
            assert_int_equal(all[k].record.status_id, want);
            assert_int_equal(all[k].record.rank, k + 10);
            if (rows[i].bad)
                assert_string_equal(all[k].record.reason, reason);
        }
        close_all(&room, all);
    }
}

/* How many of the three do not support the call. */
static void only_all_together_do_not_support_a_call(void **state)
{
    (void)state;
    for (int n = 1; n <= MEMBERS; n++) {
        struct room room;
        struct member all[MEMBERS];

        open_all(&room, all);
        for (int k = 0; k < MEMBERS; k++)
            all[k].findings = (struct osw_findings){.fault = OSW_FAULT_RETURNED,
                                                    .unsupported = k < n,
                                                    .text = "rank 0 has ended"};
        run_all(all, find);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(all[k].findings.unsupported, n == MEMBERS);
            assert_string_equal(
                all[k].findings.text,
                k < n && n < MEMBERS
                    ? "OSW_UNSUPPORTED, which not all ranks returned"
                    : "rank 0 has ended");
        }
        close_all(&room, all);
    }
}

static void vote(struct member *m)
{
    m->bad = osw_agree_record(&m->agree, m->memory, &m->record);
}

static void of_those_that_crash_the_first_is_the_cause(void **state)
{
    static const int64_t at_ns[MEMBERS] = {7, 5, 6};
    struct room room;
    struct member all[MEMBERS];

    (void)state;
    open_all(&room, all);
    for (int k = 0; k < MEMBERS; k++) {
        all[k].agree.mine = (struct osw_agree_claim){.at_ns = at_ns[k]};
        all[k].record.status_id = OSW_STATE_CRASH;
        all[k].record.reason = "crashed";
    }
    run_all(all, vote);
    for (int k = 0; k < MEMBERS; k++)
        assert_string_equal(all[k].record.reason, "rank 1: crashed");
    close_all(&room, all);
}

static void a_member_without_a_reason_is_named_with_words(void **state)
{
    static const struct {
        enum osw_state state;
        const char *reason;
    } rows[] = {{OSW_STATE_UNSUPPORTED, "rank 1 declined the case"},
                {OSW_STATE_VALUE, "rank 1 ended as value"},
                {OSW_STATE_PASS, ""}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct room room;
        struct member all[MEMBERS];

        open_all(&room, all);
        all[1].record.status_id = (uint8_t)rows[i].state;
        all[1].record.reason = "";
        run_all(all, vote);
        for (int k = 0; k < MEMBERS; k++)
            assert_string_equal(all[k].record.reason, rows[i].reason);
        close_all(&room, all);
    }
}

static void a_lost_member_ends_all_agreement(void **state)
{
    struct room room;
    struct member all[MEMBERS];

    (void)state;
    open_all(&room, all);
    room.fails_at = 1;
    for (int k = 0; k < MEMBERS; k++) {
        all[k].says = true;
        all[k].record.status_id = OSW_STATE_PASS;
    }
    run_all(all, ask);
    run_all(all, find);
    for (int k = 0; k < MEMBERS; k++) {
        assert_true(all[k].agree.broken);
        assert_int_equal(all[k].agree.err.status, OSW_CHILD);
        assert_false(all[k].all);
        assert_int_not_equal(all[k].findings.all.fault, OSW_FAULT_NONE);
        assert_true(all[k].bad);
        assert_int_equal(all[k].n, 1); /* none is asked again */
    }
    close_all(&room, all);
}

static void raise_errors(struct member *m)
{
    osw_agree_errors(&m->agree, &m->record);
}

static void errors_are_the_largest_of_all(void **state)
{
    static const double found[MEMBERS] = {0.25, NAN, 0.5};
    struct room room;
    struct member all[MEMBERS];

    (void)state;
    open_all(&room, all);
    for (int k = 0; k < MEMBERS; k++) {
        all[k].record.max_abs_err = found[k];
        all[k].record.max_norm_err = NAN;
    }
    run_all(all, raise_errors);
    for (int k = 0; k < MEMBERS; k++) {
        assert_true(all[k].record.max_abs_err == 0.5);
        assert_true(isnan(all[k].record.max_norm_err));
    }
    close_all(&room, all);
}

static void share(struct member *m)
{
    char text[200];

    memset(text, (int)('a' + m->gang.rank), sizeof(text));
    m->all = osw_agree_share(&m->agree, 1, text, sizeof(text));
    for (size_t i = 0; i < sizeof(text); i++)
        m->all = m->all && text[i] == 'b';
}

static void what_one_shares_arrives_whole(void **state)
{
    struct room room;
    struct member all[MEMBERS];

    (void)state;
    open_all(&room, all);
    run_all(all, share);
    for (int k = 0; k < MEMBERS; k++) {
        assert_true(all[k].all);
        assert_int_equal(all[k].n, 5); /* 200 bytes, 48 at a time */
    }
    close_all(&room, all);
}

/* More values than one exchange holds. */
static void find_longest(struct member *m)
{
    float values[30];

    for (uint32_t i = 0; i < 30; i++)
        values[i] = i % MEMBERS == m->gang.rank ? 100.0F + (float)i : 1.0F;
    m->all = osw_agree_longest(&m->agree, values, 30, &m->spread);
    for (uint32_t i = 0; i < 30; i++)
        m->all = m->all && values[i] == 100.0F + (float)i;
}

static void the_longest_of_all_counts(void **state)
{
    struct osw_agree alone = osw_agree_of(NULL);
    float own[] = {3, 1, 2};
    struct room room;
    struct member all[MEMBERS];

    (void)state;
    open_all(&room, all);
    run_all(all, find_longest);
    for (int k = 0; k < MEMBERS; k++) {
        assert_true(all[k].all);
        assert_true(all[k].spread == 113.5); /* 99 + i, i = 0 to 29 */
        assert_int_equal(all[k].n, 3);       /* 12 at a time */
    }
    close_all(&room, all);
    assert_true(osw_agree_longest(&alone, own, 3, NULL));
    assert_true(own[0] == 3 && own[1] == 1 && own[2] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_get_the_same_answer),
        cmocka_unit_test(one_that_is_alone_agrees_with_itself),
        cmocka_unit_test(the_cause_is_what_all_record),
        cmocka_unit_test(only_all_together_do_not_support_a_call),
        cmocka_unit_test(of_those_that_crash_the_first_is_the_cause),
        cmocka_unit_test(a_member_without_a_reason_is_named_with_words),
        cmocka_unit_test(a_lost_member_ends_all_agreement),
        cmocka_unit_test(errors_are_the_largest_of_all),
        cmocka_unit_test(what_one_shares_arrives_whole),
        cmocka_unit_test(the_longest_of_all_counts),
    };

    return cmocka_run_group_tests_name("worker/agree", tests, NULL, NULL);
}

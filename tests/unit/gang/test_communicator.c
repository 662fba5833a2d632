/* tests/unit/gang/test_communicator.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "worker/sandbox/communicator.h"

enum { MEMBERS = 3, LONG = 5 * OSW_SEGMENT_RING + 13 };

/* Ranks are threads over one segment. */
struct member {
    struct osw_communicator_state state;
    int (*act)(struct member *m);
    int rc;
    size_t bytes; /* that it sends */
    unsigned char *sent, *got;
    char said[256];
};

struct fixture {
    unsigned char *base;
    struct member all[MEMBERS];
};

static void say(void *arg, const char *text)
{
    struct member *m = arg;

    strncpy(m->said, text, sizeof(m->said) - 1);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    void *base = NULL;

    assert_non_null(f);
    assert_int_equal(posix_memalign(&base, OSW_SEGMENT_LINE,
                                    (size_t)osw_segment_bytes(MEMBERS)),
                     0);
    f->base = base;
    memset(base, 0, (size_t)osw_segment_bytes(MEMBERS));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct member *m = &f->all[i];

        osw_communicator_join(&m->state, base, i, MEMBERS, true);
        m->state.say = say;
        m->state.say_arg = m;
        m->bytes = LONG;
        m->sent = malloc(LONG);
        m->got = calloc(1, LONG);
        for (size_t k = 0; k < LONG; k++)
            m->sent[k] = (unsigned char)(k * 7 + i);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < MEMBERS; i++) {
        free(f->all[i].sent);
        free(f->all[i].got);
    }
    free(f->base);
    free(f);
    return 0;
}

static void *run(void *arg)
{
    struct member *m = arg;

    m->rc = m->act(m);
    return NULL;
}

static void run_all(struct fixture *f, int (*act)(struct member *m))
{
    pthread_t threads[MEMBERS];

    for (int i = 0; i < MEMBERS; i++) {
        f->all[i].act = act;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &f->all[i]), 0);
    }
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(threads[i], NULL);
}

static int carry(struct member *m, int to, int from, size_t bytes)
{
    const osw_communicator *c = &m->state.face;

    return c->sendrecv(c, to, m->sent, m->bytes, from, m->got, bytes);
}

/* Around the ring: longer than what fits between two ranks. */
static int pass_on(struct member *m)
{
    int rank = m->state.face.rank;

    return carry(m, (rank + 1) % MEMBERS, (rank + MEMBERS - 1) % MEMBERS, LONG);
}

static void long_messages_arrive_whole(void **state)
{
    struct fixture *f = *state;

    for (int again = 0; again < 3; again++) {
        run_all(f, pass_on);
        for (int i = 0; i < MEMBERS; i++) {
            assert_int_equal(f->all[i].rc, 0);
            assert_memory_equal(f->all[i].got,
                                f->all[(i + MEMBERS - 1) % MEMBERS].sent, LONG);
            memset(f->all[i].got, 0, LONG);
        }
    }
}

/* Rank 0 sends two messages before rank 1 receives any. */
static void short_messages_wait_in_their_order(void **state)
{
    struct fixture *f = *state;
    struct member *a = &f->all[0], *b = &f->all[1];
    const osw_communicator *c = &a->state.face;

    assert_int_equal(c->sendrecv(c, 1, "first", 6, -1, NULL, 0), 0);
    assert_int_equal(c->sendrecv(c, 1, NULL, 0, -1, NULL, 0), 0);
    assert_int_equal(c->sendrecv(c, 1, "second", 7, -1, NULL, 0), 0);
    c = &b->state.face;
    assert_int_equal(c->sendrecv(c, -1, NULL, 0, 0, b->got, 6), 0);
    assert_string_equal((char *)b->got, "first");
    assert_int_equal(c->sendrecv(c, -1, NULL, 0, 0, NULL, 0), 0);
    assert_int_equal(c->sendrecv(c, -1, NULL, 0, 0, b->got, 7), 0);
    assert_string_equal((char *)b->got, "second");
}

static void a_message_of_another_size_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct member *a = &f->all[0], *b = &f->all[2];

    a->bytes = 40;
    assert_int_equal(carry(a, 2, -1, 0), 0);
    b->bytes = 0;
    assert_int_equal(carry(b, -1, 0, 36), OSW_ERROR);
    assert_string_equal(b->said, "rank 0 sent 40 bytes to rank 2, expected 36");
    for (int i = 0; i < 64; i++)
        assert_int_equal(b->got[i], 0);
}

static void ranks_that_do_not_exist_are_refused(void **state)
{
    static const int bad[][2] = {{3, -1}, {-2, -1}, {0, -1}, {-1, 0}, {1, 7}};
    struct fixture *f = *state;
    struct member *m = &f->all[0];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        m->said[0] = '\0';
        assert_int_equal(carry(m, bad[i][0], bad[i][1], 1), OSW_ERROR);
        assert_non_null(strstr(m->said, "expected another rank of 0 to 2"));
    }
}

/* It would wait for ever: nothing was sent. */
static void a_rank_that_has_ended_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    struct osw_segment_head *head = (void *)f->base;
    struct member *m = &f->all[0];

    atomic_store(&head->ended, 2);
    m->bytes = 0;
    assert_int_equal(carry(m, -1, 1, 4), OSW_ERROR);
    assert_string_equal(m->said, "rank 1 has ended");
}

/* All that can be wrong with numbers that any rank can write. */
static void numbers_that_make_no_sense_are_an_error(void **state)
{
    static const uint64_t bad[][2] = {{1, 2},
                                      {UINT64_MAX, 0},
                                      {OSW_SEGMENT_RING + 1, 0},
                                      {UINT64_C(1) << 63, 1}};
    struct fixture *f = *state;
    struct osw_segment_ring *ring =
        (void *)(f->base + osw_segment_ring_at(MEMBERS, 1, 0));

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct member *to = &f->all[0], *from = &f->all[1];

        atomic_store(&ring->written, bad[i][0]);
        atomic_store(&ring->read, bad[i][1]);
        to->bytes = 0;
        assert_int_equal(carry(to, -1, 1, 8), OSW_ERROR);
        assert_non_null(strstr(to->said, "overwritten"));
        from->bytes = 8;
        assert_int_equal(carry(from, 0, -1, 0), OSW_ERROR);
    }
}

static void a_rank_that_is_none_has_not_ended(void **state)
{
    struct fixture *f = *state;
    struct osw_segment_head *head = (void *)f->base;
    struct member *m = &f->all[0];

    atomic_store(&head->ended, MEMBERS + 1);
    m->bytes = 4;
    assert_int_equal(carry(m, 1, -1, 0), OSW_ERROR);
    assert_non_null(strstr(m->said, "overwritten"));
}

/* The counters wrap around in the middle of a message. */
static void counters_may_wrap_around(void **state)
{
    struct fixture *f = *state;
    struct osw_segment_ring *ring =
        (void *)(f->base + osw_segment_ring_at(MEMBERS, 0, 1));
    struct member *a = &f->all[0], *b = &f->all[1];

    atomic_store(&ring->written, UINT64_MAX - 20);
    atomic_store(&ring->read, UINT64_MAX - 20);
    a->bytes = 1000;
    assert_int_equal(carry(a, 1, -1, 0), 0);
    b->bytes = 0;
    assert_int_equal(carry(b, -1, 0, 1000), 0);
    assert_memory_equal(a->sent, b->got, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(long_messages_arrive_whole),
        T(short_messages_wait_in_their_order),
        T(a_message_of_another_size_is_an_error),
        T(ranks_that_do_not_exist_are_refused),
        T(a_rank_that_has_ended_is_not_waited_for),
        T(numbers_that_make_no_sense_are_an_error),
        T(a_rank_that_is_none_has_not_ended),
        T(counters_may_wrap_around),
#undef T
    };

    return cmocka_run_group_tests_name("worker/communicator", tests, NULL,
                                       NULL);
}

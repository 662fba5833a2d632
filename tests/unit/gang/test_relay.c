/* tests/unit/gang/test_relay.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/clock.h"
#include "mpi_runner/ranks/relay.h"
#include "worker/sandbox/communicator.h"

/* Ranks 0 and 1 are on one node, rank 2 is on another. */
enum { MEMBERS = 3, NODES = 2, LONG = 3 * OSW_SEGMENT_RING + 13 };

static const uint32_t node_of[MEMBERS] = {0, 0, 1};

struct member {
    struct osw_communicator_state state;
    struct osw_relay relay;
    struct fixture *of;
    int (*act)(struct member *m);
    int rc;
    unsigned char *sent, *got;
    char said[256];
};

struct fixture {
    int fds[NODES];
    unsigned char *bases[NODES]; /* as sandboxes see them */
    struct member all[MEMBERS];
    uint64_t n_parcels;
    atomic_int n_acting;
};

static void say(void *arg, const char *text)
{
    struct member *m = arg;

    strncpy(m->said, text, sizeof(m->said) - 1);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    size_t bytes = (size_t)osw_segment_bytes(MEMBERS);

    assert_non_null(f);
    for (int i = 0; i < NODES; i++) {
        f->fds[i] = memfd_create("segment", 0);
        assert_int_equal(ftruncate(f->fds[i], (off_t)bytes), 0);
        f->bases[i] =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fds[i], 0);
        assert_true(f->bases[i] != MAP_FAILED);
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct member *m = &f->all[i];

        m->of = f;
        assert_int_equal(
            osw_relay_open(&m->relay, f->fds[node_of[i]], i, MEMBERS, NULL), 0);
        osw_communicator_join(&m->state, f->bases[node_of[i]], i, MEMBERS,
                              false);
        m->state.say = say;
        m->state.say_arg = m;
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
        osw_relay_close(&f->all[i].relay);
        free(f->all[i].sent);
        free(f->all[i].got);
    }
    for (int i = 0; i < NODES; i++) {
        munmap(f->bases[i], (size_t)osw_segment_bytes(MEMBERS));
        close(f->fds[i]);
    }
    free(f);
    return 0;
}

/* What each worker has to say to those of the other node, once. */
static bool carry_once(struct fixture *f)
{
    bool any = false;

    for (uint32_t from = 0; from < MEMBERS; from++)
        for (uint32_t to = 0; to < MEMBERS; to++) {
            struct osw_msg_flow m;

            if (node_of[from] == node_of[to] ||
                !osw_relay_next(&f->all[from].relay, to, &m))
                continue;
            osw_relay_take(&f->all[to].relay, from, &m);
            f->n_parcels++;
            any = true;
        }
    return any;
}

static void *run(void *arg)
{
    struct member *m = arg;

    m->rc = m->act(m);
    atomic_fetch_sub(&m->of->n_acting, 1);
    return NULL;
}

/* Until all sandboxes are done, or too long. */
static void run_all(struct fixture *f, int (*act)(struct member *m))
{
    int64_t deadline = osw_clock_ns() + INT64_C(20000000000);
    pthread_t threads[MEMBERS];

    f->n_acting = MEMBERS;
    for (int i = 0; i < MEMBERS; i++) {
        f->all[i].act = act;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &f->all[i]), 0);
    }
    while (atomic_load(&f->n_acting) > 0 && osw_clock_ns() < deadline)
        if (!carry_once(f))
            osw_clock_sleep_ns(100000);
    assert_int_equal(f->n_acting, 0);
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(threads[i], NULL);
}

static int carry(struct member *m, int to, int from, size_t bytes)
{
    const osw_communicator *c = &m->state.face;

    return c->sendrecv(c, to, m->sent, bytes, from, m->got, bytes);
}

static int pass_on(struct member *m)
{
    int rank = m->state.face.rank;

    return carry(m, (rank + 1) % MEMBERS, (rank + MEMBERS - 1) % MEMBERS, LONG);
}

static void messages_go_around_as_on_one_node(void **state)
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

/* Rank 0 receives from rank 1 first, while rank 2 sends. */
static int gather(struct member *m)
{
    int rank = m->state.face.rank;

    if (rank > 0)
        return carry(m, 0, -1, LONG);
    return carry(m, -1, 1, LONG) ? 1 : carry(m, -1, 2, LONG);
}

static void a_message_waits_for_its_receiver(void **state)
{
    struct fixture *f = *state;

    for (int again = 0; again < 3; again++) {
        run_all(f, gather);
        for (int i = 0; i < MEMBERS; i++)
            assert_int_equal(f->all[i].rc, 0);
        assert_memory_equal(f->all[0].got, f->all[2].sent, LONG);
    }
}

/* No more than a ring's bytes leave before some are read. */
static void no_more_than_a_ring_is_on_its_way(void **state)
{
    struct fixture *f = *state;
    struct osw_segment_ring *ring =
        (void *)(f->bases[1] + osw_segment_ring_at(MEMBERS, 2, 0));

    atomic_store(&ring->written, OSW_SEGMENT_RING);
    while (carry_once(f))
        ;
    assert_int_equal(f->all[2].relay.ways[0].sent, OSW_SEGMENT_RING);
    assert_int_equal(atomic_load(&ring->read), 0);
    ring = (void *)(f->bases[0] + osw_segment_ring_at(MEMBERS, 2, 0));
    assert_int_equal(atomic_load(&ring->written), OSW_SEGMENT_RING);
    atomic_store(&ring->read, 100);
    while (carry_once(f))
        ;
    ring = (void *)(f->bases[1] + osw_segment_ring_at(MEMBERS, 2, 0));
    assert_int_equal(atomic_load(&ring->read), 100);
    f->n_parcels = 0;
    assert_false(carry_once(f)); /* nothing is said twice */
}

static int receive_from_2(struct member *m)
{
    return m->state.face.rank == 2 ? 0 : carry(m, -1, 2, 8);
}

static void a_rank_that_has_ended_is_not_waited_for_elsewhere(void **state)
{
    struct fixture *f = *state;

    osw_segment_end(f->fds[1], 2);
    run_all(f, receive_from_2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->all[i].rc, OSW_ERROR);
        assert_string_equal(f->all[i].said, "rank 2 has ended");
    }
}

/* Whatever a rank writes where it should not: an error on both nodes. */
static void numbers_that_make_no_sense_end_it_on_all_nodes(void **state)
{
    static const uint64_t bad[] = {OSW_SEGMENT_RING + 1, UINT64_MAX,
                                   UINT64_C(1) << 63};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        void *again = NULL;
        struct fixture *f;
        struct osw_segment_ring *ring;

        set_up(&again);
        f = again;
        ring = (void *)(f->bases[1] + osw_segment_ring_at(MEMBERS, 2, 0));
        atomic_store(&ring->written, bad[i]);
        run_all(f, receive_from_2);
        assert_int_equal(f->all[0].rc, OSW_ERROR);
        assert_non_null(strstr(f->all[0].said, "overwritten"));
        tear_down(&again);
    }
}

static void a_parcel_that_does_not_fit_is_an_error(void **state)
{
    struct fixture *f = *state;
    const struct osw_msg_flow m = {.n = OSW_MSG_MAX_CHUNK,
                                   .bytes = f->all[2].sent};

    for (int i = 0; i * OSW_MSG_MAX_CHUNK < 2 * OSW_SEGMENT_RING; i++)
        osw_relay_take(&f->all[0].relay, 2, &m);
    assert_int_equal(carry(&f->all[0], -1, 2, 8), OSW_ERROR);
    assert_non_null(strstr(f->all[0].said, "overwritten"));
}

/* The file is cut in the middle: no worker dies, and the others hear of it. */
static void a_segment_that_is_cut_ends_it_elsewhere(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(ftruncate(f->fds[1], 0), 0);
    while (carry_once(f))
        ;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(carry(&f->all[i], -1, 2, 8), OSW_ERROR);
        assert_non_null(strstr(f->all[i].said, "overwritten"));
    }
    assert_int_equal(ftruncate(f->fds[1], (off_t)osw_segment_bytes(MEMBERS)),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        /* first: cmocka handles bus errors itself from the next test on */
        T(a_segment_that_is_cut_ends_it_elsewhere),
        T(messages_go_around_as_on_one_node),
        T(a_message_waits_for_its_receiver),
        T(no_more_than_a_ring_is_on_its_way),
        T(a_rank_that_has_ended_is_not_waited_for_elsewhere),
        cmocka_unit_test(numbers_that_make_no_sense_end_it_on_all_nodes),
        T(a_parcel_that_does_not_fit_is_an_error),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/relay", tests, NULL, NULL);
}

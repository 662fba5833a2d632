/* tests/unit/mpi_runner/test_broadcast.c - what rank 0 says outside of a run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "common/clock.h"
#include "mpi_runner/ranks/broadcast.h"

enum { MORE_THAN_FIT = 1000, MS = 1000000 };

struct pair {
    struct osw_transport *mine, *other;
    struct osw_error err;
};

static int set_up(void **state)
{
    struct pair *p = calloc(1, sizeof(*p));

    *state = p;
    return p ? osw_transport_open_loop(&p->mine, &p->other, &p->err) : -1;
}

static int tear_down(void **state)
{
    struct pair *p = *state;

    p->mine->ops->close(p->mine, false, 0);
    p->other->ops->close(p->other, false, 0);
    free(p);
    return 0;
}

/* Read frames until none came for so long; how many messages of that type. */
static unsigned hear(struct pair *p, int64_t for_ns, enum osw_msg_type wanted,
                     enum osw_msg_type *last)
{
    static struct osw_msg_space space;
    unsigned char frame[OSW_FRAME_MAX];
    int64_t until = osw_clock_ns() + for_ns;
    struct osw_inbox in = {0};
    unsigned found = 0;

    while (osw_clock_ns() < until) {
        const void *data;
        uint8_t type;
        size_t n;
        int peer;

        if (p->other->ops->poll(p->other, &peer, frame, &n, &p->err) != 1) {
            p->other->ops->wait(p->other, MS);
            continue;
        }
        until = osw_clock_ns() + for_ns;
        assert_int_equal(osw_inbox_open(&in, frame, n, &p->err), 0);
        while (osw_inbox_next(&in, &type, &data, &n, &p->err) > 0) {
            struct osw_msg m;

            assert_int_equal(osw_msg_decode(OSW_MSG_TO_WORKER, type, data, n,
                                            &space, &m, &p->err),
                             0);
            found += m.type == wanted;
            *last = m.type;
        }
    }
    osw_inbox_free(&in);
    return found;
}

static void fill_queue(struct pair *p)
{
    const struct osw_msg m = {.type = OSW_MSG_HEARTBEAT};
    int n = 0;

    while (osw_broadcast(p->mine, &m, 0) == 0)
        assert_true(++n < MORE_THAN_FIT);
}

static void a_full_queue_is_tried_again(void **state)
{
    const struct osw_msg m = {.type = OSW_MSG_END};
    struct pair *p = *state;
    enum osw_msg_type last = OSW_MSG_HEARTBEAT;
    int64_t t0;

    fill_queue(p);
    t0 = osw_clock_ns();
    assert_int_equal(osw_broadcast(p->mine, &m, 20 * MS), 1);
    assert_true(osw_clock_ns() - t0 >= 20 * MS);
    assert_int_equal(hear(p, 20 * MS, OSW_MSG_END, &last), 0);
}

static void *tell_end(void *arg)
{
    struct pair *p = arg;

    osw_broadcast_end(p->mine);
    return NULL;
}

static void the_end_reaches_who_reads_late(void **state)
{
    struct pair *p = *state;
    enum osw_msg_type last = OSW_MSG_HEARTBEAT;
    pthread_t thread;

    fill_queue(p);
    assert_int_equal(pthread_create(&thread, NULL, tell_end, p), 0);
    osw_clock_sleep_ns(20 * MS);
    assert_int_equal(hear(p, 200 * MS, OSW_MSG_END, &last), 1);
    assert_int_equal(last, OSW_MSG_END);
    pthread_join(thread, NULL);
}

static void who_has_left_is_not_waited_for(void **state)
{
    const struct osw_msg m = {.type = OSW_MSG_END};
    struct pair *p = *state;

    p->mine->ops->forget(p->mine, 1);
    assert_int_equal(osw_broadcast(p->mine, &m, INT64_MAX / 2), 1);
}

static void count(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
}

static void a_keeper_speaks_until_it_is_stopped(void **state)
{
    struct pair *p = *state;
    enum osw_msg_type last = OSW_MSG_END;
    _Atomic int n_calls = 0;
    osw_keeper_t *keeper =
        osw_keeper_start(p->mine, 2 * MS, count, &n_calls, &p->err);
    int64_t until = osw_clock_ns() + INT64_C(10000000000);

    assert_non_null(keeper);
    while (atomic_load(&n_calls) < 5 && osw_clock_ns() < until)
        osw_clock_sleep_ns(MS);
    osw_keeper_stop(&keeper);
    assert_null(keeper);
    assert_true(hear(p, 20 * MS, OSW_MSG_HEARTBEAT, &last) >= 5);
    assert_int_equal(last, OSW_MSG_HEARTBEAT);
    n_calls = 0;
    assert_int_equal(hear(p, 20 * MS, OSW_MSG_HEARTBEAT, &last), 0);
    assert_int_equal(atomic_load(&n_calls), 0);
    osw_keeper_stop(&keeper); /* there is none */
}

static void a_keeper_of_no_transport_only_calls(void **state)
{
    _Atomic int n_calls = 0;
    struct osw_error err = OSW_ERROR_INIT;
    osw_keeper_t *keeper = osw_keeper_start(NULL, MS, count, &n_calls, &err);
    int64_t until = osw_clock_ns() + INT64_C(10000000000);

    (void)state;
    assert_non_null(keeper);
    while (atomic_load(&n_calls) < 2 && osw_clock_ns() < until)
        osw_clock_sleep_ns(MS);
    osw_keeper_stop(&keeper);
    assert_true(atomic_load(&n_calls) >= 2);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_full_queue_is_tried_again),
        T(the_end_reaches_who_reads_late),
        T(who_has_left_is_not_waited_for),
        T(a_keeper_speaks_until_it_is_stopped),
        cmocka_unit_test(a_keeper_of_no_transport_only_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

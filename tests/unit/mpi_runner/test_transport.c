/* test_transport.c - one contract for every transport
 *
 * The contract is two roles, one per rank.  They run as two threads over the
 * loop-back transport and, when there is an mpirun, as two processes over MPI:
 * then this program starts itself as `test_transport rank`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "mpi_runner/transport/transport.h"

enum { N_FRAMES = 3000 };

static const int64_t limit_ns = (int64_t)60 * 1000000000;

/* What is wrong, in a rank that cannot use cmocka; exits. */
static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "contract broken: %s\n", what);
    exit(1);
}

/* Frame i has a length and bytes of its own. */
static size_t make_frame(int i, unsigned char frame[OSW_FRAME_MAX])
{
    size_t n = i % 97 == 0 ? OSW_FRAME_MAX : 4 + (size_t)i * 37 % 600;

    memset(frame, i & 0xff, n);
    memcpy(frame, &i, sizeof(i));
    return n;
}

static bool send_frame(struct osw_transport *t, int peer, const void *frame,
                       size_t n)
{
    int64_t deadline = osw_clock_ns() + limit_ns;
    struct osw_error err = OSW_ERROR_INIT;
    int rc;

    while ((rc = t->ops->send(t, peer, frame, n, &err)) == 0) {
        must(osw_clock_ns() < deadline, "a full queue never empties");
        t->ops->wait(t, 1000000);
    }
    return rc > 0;
}

static size_t take_frame(struct osw_transport *t, int want_peer,
                         unsigned char frame[OSW_FRAME_MAX])
{
    int64_t deadline = osw_clock_ns() + limit_ns;
    struct osw_error err = OSW_ERROR_INIT;
    int peer = -1, rc;
    size_t n = 0;

    while ((rc = t->ops->poll(t, &peer, frame, &n, &err)) == 0) {
        must(osw_clock_ns() < deadline, "a frame never arrives");
        t->ops->wait(t, 1000000);
    }
    must(rc == 1 && peer == want_peer, "poll names the sender");
    return n;
}

/* Rank 1 sends all its frames, rank 0 checks them and sends each back. */
static void echo(struct osw_transport *t)
{
    unsigned char got[OSW_FRAME_MAX], want[OSW_FRAME_MAX];

    for (int i = 0; i < N_FRAMES; i++) {
        size_t n = take_frame(t, 1, got);

        must(n == make_frame(i, want), "frames keep their length");
        must(memcmp(got, want, n) == 0, "frames keep order and content");
        must(send_frame(t, 1, got, n), "the peer can be reached");
    }
}

static void call(struct osw_transport *t)
{
    unsigned char frame[OSW_FRAME_MAX], got[OSW_FRAME_MAX];
    int n_sent = 0;

    for (int i = 0; i < N_FRAMES; i++) {
        for (; n_sent < N_FRAMES && n_sent < i + 10; n_sent++)
            must(send_frame(t, 0, frame, make_frame(n_sent, frame)),
                 "the coordinator can be reached");
        must(take_frame(t, 0, got) == make_frame(i, frame) &&
                 memcmp(got, frame, make_frame(i, frame)) == 0,
             "what is sent back is what was sent");
    }
}

static void keep_contract(struct osw_transport *t)
{
    unsigned char frame[OSW_FRAME_MAX];
    struct osw_error err = OSW_ERROR_INIT;
    int peer;
    size_t n;

    must(t->size == 2 && (t->rank == 0 || t->rank == 1), "two ranks");
    must(t->n_local == 1, "one worker on this node");
    must(t->local_index == t->rank - 1, "which is the first");
    must(strlen(t->host) > 0, "the host has a name");
    if (t->rank == 0)
        echo(t);
    else
        call(t);
    must(t->ops->poll(t, &peer, frame, &n, &err) == 0, "nothing is left over");
    must(t->ops->send(t, 7, frame, 1, &err) == -1, "there is no rank 7");
}

/* --- over the loop --- */

static void *other_thread(void *arg)
{
    struct osw_transport *t = arg;

    keep_contract(t);
    assert_false(t->ops->close(t, false, 0));
    return NULL;
}

static void loop_keeps_the_contract(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_transport *mine, *other;
    pthread_t thread;

    (void)state;
    assert_int_equal(osw_transport_find("loop")->open(&mine, &other, &err), 0);
    assert_non_null(other);
    assert_int_equal(pthread_create(&thread, NULL, other_thread, other), 0);
    keep_contract(mine);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(mine->ops->close(mine, false, 0));
}

static void a_full_queue_says_so_and_does_not_block(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_transport *mine, *other;
    unsigned char frame[OSW_FRAME_MAX] = {0};
    int n = 0, n_back = 0, peer, rc;
    size_t len;

    (void)state;
    assert_int_equal(osw_transport_open_loop(&mine, &other, &err), 0);
    while ((rc = mine->ops->send(mine, 1, frame, 10, &err)) == 1)
        n++;
    assert_int_equal(rc, 0);
    assert_true(n > 0);
    while (other->ops->poll(other, &peer, frame, &len, &err) == 1)
        n_back++;
    assert_int_equal(n_back, n);
    assert_int_equal(mine->ops->send(mine, 1, frame, 10, &err), 1);
    mine->ops->close(mine, false, 0);
    other->ops->close(other, false, 0);
}

static void who_was_forgotten_or_left_cannot_be_sent_to(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_transport *mine, *other;

    (void)state;
    assert_int_equal(osw_transport_open_loop(&mine, &other, &err), 0);
    mine->ops->forget(mine, 1);
    assert_int_equal(mine->ops->send(mine, 1, "x", 1, &err), -1);
    mine->ops->close(mine, false, 0);
    other->ops->close(other, false, 0);

    assert_int_equal(osw_transport_open_loop(&mine, &other, &err), 0);
    other->ops->close(other, false, 0);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(mine->ops->send(mine, 1, "x", 1, &err), -1);
    assert_string_equal(err.text, "rank 1 has left");
    mine->ops->close(mine, false, 0);
}

static void no_transport_has_a_name_of_its_own_making(void **state)
{
    (void)state;
    assert_null(osw_transport_find("pigeon"));
    assert_string_equal(osw_transport_find("mpi")->name, "mpi");
}

/* --- over MPI --- */

static const char *self;

static int be_rank(void)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_transport *t = NULL, *other = NULL;

    if (osw_transport_open_mpi(&t, &other, &err) < 0 || other)
        must(false, "MPI starts");
    keep_contract(t);
    must(!t->ops->close(t, false, 1), "MPI can be finalized");
    return 0;
}

static void mpi_keeps_the_contract(void **state)
{
    char command[4096];

    (void)state;
    if (system("command -v mpirun >/dev/null") != 0)
        skip();
    snprintf(command, sizeof(command),
             "ASAN_OPTIONS=detect_leaks=0 timeout 100 mpirun "
             "--allow-run-as-root --oversubscribe --bind-to none -n 2 '%s' "
             "rank",
             self);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_keeps_the_contract),
        cmocka_unit_test(a_full_queue_says_so_and_does_not_block),
        cmocka_unit_test(who_was_forgotten_or_left_cannot_be_sent_to),
        cmocka_unit_test(no_transport_has_a_name_of_its_own_making),
        cmocka_unit_test(mpi_keeps_the_contract),
    };

    self = argv[0];
    if (argc == 2 && strcmp(argv[1], "rank") == 0)
        return be_rank();
    return cmocka_run_group_tests_name("mpi_runner/transport", tests, NULL,
                                       NULL);
}

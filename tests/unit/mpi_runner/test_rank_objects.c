/* test_rank_objects.c - compiled code of a worker rank, with the test as its
 * coordinator */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "mpi_runner/ranks/rank_messages.h"
#include "mpi_runner/ranks/rank_objects.h"
#include "mpi_runner/transport/object.h"
#include "ops/build/node_store.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define ID        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

enum { SIZE = 3 * OSW_MSG_MAX_CHUNK + 7 };

static unsigned char code[SIZE];
static char place[] = "/tmp/test_rank_objects.XXXXXX";

struct fixture {
    struct osw_transport *mine, *other; /* the coordinator's, the worker's */
    struct osw_link link;               /* the coordinator's */
    struct osw_rank rank;
    struct osw_worker_life life;
    struct osw_error err;
    const struct osw_build_share *share;
    struct osw_object_parts parts; /* of what came */
    struct osw_msg last;           /* without its texts */
    int n_messages;                /* that are no heartbeats */
};

static const struct osw_msg_campaign campaign = {
    .host = "h0", .pid = 1, .born = 2, .heartbeat_ns = 1, .silence_ns = 1};

static void hear(struct fixture *f)
{
    static struct osw_msg_space space;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char frame[OSW_FRAME_MAX];
    const void *data;
    uint8_t type;
    size_t n;
    int peer;

    while (f->mine->ops->poll(f->mine, &peer, frame, &n, &err) == 1) {
        assert_int_equal(osw_inbox_open(&f->link.in, frame, n, &err), 0);
        while (osw_inbox_next(&f->link.in, &type, &data, &n, &err) == 1) {
            struct osw_msg m;

            assert_int_equal(osw_msg_decode(OSW_MSG_TO_COORDINATOR, type, data,
                                            n, &space, &m, &err),
                             0);
            if (type == OSW_MSG_HEARTBEAT)
                continue;
            f->last = m;
            f->n_messages++;
            if (type == OSW_MSG_OBJECT && m.u.object.n > 0)
                assert_true(osw_object_join(&f->parts, &m.u.object, &err) >= 0);
        }
    }
}

/* What the worker's judge does while it waits, and the coordinator too. */
static void tick(void *arg)
{
    struct osw_rank *l = arg;

    osw_rank_pump(l);
    osw_rank_flush(l, true);
    hear((struct fixture *)((char *)l - offsetof(struct fixture, rank)));
}

static void say(struct fixture *f, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_link_post(&f->link, m, &err), 0);
    do {
        assert_int_equal(osw_link_flush(&f->link, true, 0, &err), 0);
        tick(&f->rank);
    } while (osw_outbox_waiting(&f->link.out) > 0);
    tick(&f->rank);
}

static struct osw_object object(enum osw_object_kind kind)
{
    struct osw_object o = {.id = ID, .kind = kind, .data = code, .size = SIZE};

    osw_object_sum(&o);
    return o;
}

static void say_object(struct fixture *f, const struct osw_object *o)
{
    for (uint32_t at = 0; at < o->size; at += OSW_MSG_MAX_CHUNK) {
        struct osw_msg m = osw_object_cut(o, at);

        say(f, &m);
    }
}

static void say_word(struct fixture *f, enum osw_object_kind kind)
{
    struct osw_msg m = osw_object_word(ID, kind);

    say(f, &m);
}

static enum osw_build_answer want(struct fixture *f)
{
    enum osw_build_answer answer = f->share->want(f->share->arg, ID);

    hear(f);
    return answer;
}

/* Three workers, of which this is the only one on its node. */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct osw_error err = OSW_ERROR_INIT;

    if (!f || osw_transport_open_loop(&f->mine, &f->other, &err) < 0)
        return -1;
    for (int i = 0; i < SIZE; i++)
        code[i] = (unsigned char)(i * 31);
    strcpy(place + strlen(place) - 6, "XXXXXX");
    if (!mkdtemp(place))
        return -1;
    setenv("OPSWEEP_NODE_CACHE", place, 1);
    osw_log_set(OSW_LOG_ERROR, NULL);
    f->other->size = 4;
    f->other->n_local = 1;
    osw_link_open(&f->link, f->mine, 1, 0);
    f->rank = (struct osw_rank){.life = &f->life,
                                .err = &f->err,
                                .at_work_fd = -1,
                                .heartbeat_ns = INT64_MAX / 4,
                                .silence_ns = INT64_MAX / 4};
    osw_link_open(&f->rank.link, f->other, 0, osw_clock_ns());
    f->rank.objects = osw_rank_objects_open(&f->rank, &campaign, tick);
    f->share = osw_rank_objects_share(f->rank.objects);
    *state = f;
    return f->share ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_rank_objects_close(f->rank.objects);
    osw_object_parts_free(&f->parts);
    osw_link_close(&f->link);
    osw_link_close(&f->rank.link);
    f->other->ops->close(f->other, false, 0);
    f->mine->ops->close(f->mine, false, 0);
    free(f);
    return rmdir(place); /* the folder is gone */
}

/* Is code[SIZE] in the folder, under that suffix? */
static bool is_stored(const struct fixture *f, const char *suffix)
{
    static unsigned char found[SIZE + 1];
    char path[512];
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s.%s", f->share->dir, ID, suffix);
    file = fopen(path, "r");
    if (!file)
        return false;
    n = fread(found, 1, sizeof(found), file);
    fclose(file);
    return n == SIZE && memcmp(found, code, SIZE) == 0;
}

static void code_that_comes_is_in_the_folder(void **state)
{
    struct fixture *f = *state;
    struct osw_object o = object(OSW_OBJECT_CODE);

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    assert_int_equal(f->last.type, OSW_MSG_WANT);
    say_object(f, &o);
    assert_int_equal(want(f), OSW_BUILD_STORED);
    assert_true(is_stored(f, "so"));
    assert_int_equal(f->n_messages, 1);
}

/* Sources may be edited between two campaigns of a series; another worker of
 * the node may have the folder of the first one still open.
 */
static void the_next_campaign_has_a_folder_of_its_own(void **state)
{
    struct fixture *f = *state;
    struct osw_object o = object(OSW_OBJECT_CODE);
    osw_rank_objects_t *other =
        osw_rank_objects_open(&f->rank, &campaign, tick);
    char before[OSW_NODE_STORE_MAX_DIR];

    assert_non_null(other);
    snprintf(before, sizeof(before), "%s", f->share->dir);
    assert_string_equal(osw_rank_objects_share(other)->dir, before);
    assert_int_equal(want(f), OSW_BUILD_WAIT);
    say_object(f, &o);
    assert_int_equal(want(f), OSW_BUILD_STORED);
    f->rank.n_campaigns++;
    assert_true(osw_rank_objects_renew(f->rank.objects, &campaign));
    assert_string_not_equal(f->share->dir, before);
    assert_int_equal(want(f), OSW_BUILD_WAIT);
    osw_rank_objects_close(other);
}

static void so_is_a_refusal(void **state)
{
    struct fixture *f = *state;
    struct osw_object o = object(OSW_OBJECT_REFUSAL);

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    say_object(f, &o);
    assert_int_equal(want(f), OSW_BUILD_STORED);
    assert_true(is_stored(f, "err"));
    assert_false(is_stored(f, "so"));
}

static void other_bytes_are_not_used(void **state)
{
    struct fixture *f = *state;
    struct osw_object o = object(OSW_OBJECT_CODE);

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    code[SIZE / 2] ^= 1;
    say_object(f, &o);
    assert_int_equal(want(f), OSW_BUILD_ALONE);
    assert_false(is_stored(f, "so"));
    assert_int_equal(f->err.status, OSW_OK);
    assert_int_equal(want(f), OSW_BUILD_WAIT); /* it may ask again */
}

static void what_there_is_none_of_is_built_alone(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    say_word(f, OSW_OBJECT_NONE);
    assert_int_equal(want(f), OSW_BUILD_ALONE);
}

static void
what_it_makes_goes_to_the_coordinator_and_into_the_folder(void **state)
{
    struct fixture *f = *state;
    static struct osw_build_result result;
    FILE *file;

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    say_word(f, OSW_OBJECT_MAKE);
    assert_int_equal(want(f), OSW_BUILD_MAKE);
    snprintf(result.path, sizeof(result.path), "%s/made.so", place);
    file = fopen(result.path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(code, 1, SIZE, file), SIZE);
    assert_int_equal(fclose(file), 0);
    f->share->offer(f->share->arg, ID, &result);
    tick(&f->rank);
    assert_int_equal(f->parts.used, SIZE);
    assert_int_equal(f->parts.kind, OSW_OBJECT_CODE);
    assert_memory_equal(f->parts.data, code, SIZE);
    assert_true(is_stored(f, "so"));
    assert_int_equal(unlink(result.path), 0);
}

static void what_it_could_not_make_is_said(void **state)
{
    struct fixture *f = *state;
    static struct osw_build_result result = {.path = "/no/where.so"};

    f->share->offer(f->share->arg, ID, NULL);
    hear(f);
    assert_int_equal(f->last.type, OSW_MSG_OBJECT);
    assert_int_equal(f->last.u.object.kind, OSW_OBJECT_NONE);
    f->share->offer(f->share->arg, ID, &result);
    hear(f);
    assert_int_equal(f->n_messages, 2);
    assert_int_equal(f->last.u.object.kind, OSW_OBJECT_NONE);
}

/* Or all others would wait for it. */
static void it_says_no_when_it_does_not_wait_any_more(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    f->share->give_up(f->share->arg, ID);
    say_word(f, OSW_OBJECT_MAKE);
    assert_int_equal(f->n_messages, 2);
    assert_int_equal(f->last.u.object.kind, OSW_OBJECT_NONE);
}

static void code_that_comes_too_late_is_dropped(void **state)
{
    struct fixture *f = *state;
    struct osw_object o = object(OSW_OBJECT_CODE);

    say_object(f, &o);
    assert_false(is_stored(f, "so"));
    assert_int_equal(f->n_messages, 0);
    assert_int_equal(f->err.status, OSW_OK);
}

static void a_lost_coordinator_is_not_waited_for(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(want(f), OSW_BUILD_WAIT);
    f->rank.ended = true;
    assert_int_equal(want(f), OSW_BUILD_ALONE);
}

static void only_several_nodes_gain_by_it(void **state)
{
    static const struct {
        int n_local, n_workers;
        bool helps;
    } rows[] = {{1, 1, false}, {8, 8, false}, {8, 16, true},
                {1, 2, true},  {7, 8, true},  {0, 0, false}};
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_int_equal(
            osw_rank_objects_help(rows[i].n_local, rows[i].n_workers),
            rows[i].helps);
    f->other->n_local = 3;
    assert_null(osw_rank_objects_open(&f->rank, &campaign, tick));
    f->other->n_local = 1;
    setenv("OPSWEEP_NODE_CACHE", "off", 1);
    assert_null(osw_rank_objects_open(&f->rank, &campaign, tick));
    setenv("OPSWEEP_NODE_CACHE", "/no/where", 1);
    assert_null(osw_rank_objects_open(&f->rank, &campaign, tick));
    assert_null(osw_rank_objects_share(NULL));
    osw_rank_objects_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(code_that_comes_is_in_the_folder),
        T(the_next_campaign_has_a_folder_of_its_own),
        T(so_is_a_refusal),
        T(other_bytes_are_not_used),
        T(what_there_is_none_of_is_built_alone),
        T(what_it_makes_goes_to_the_coordinator_and_into_the_folder),
        T(what_it_could_not_make_is_said),
        T(it_says_no_when_it_does_not_wait_any_more),
        T(code_that_comes_too_late_is_dropped),
        T(a_lost_coordinator_is_not_waited_for),
        T(only_several_nodes_gain_by_it),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

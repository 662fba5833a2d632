/* test_object_table.c - the coordinator's objects: who makes one, who waits
 * for it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_runner/transport/object.h"
#include "mpi_runner/transport/object_table.h"

#define ID    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER "10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

enum { SIZE = 2 * OSW_MSG_MAX_CHUNK + 5, N_RANKS = 16 };

static unsigned char bytes[SIZE];
static osw_object_table_t *table;
static bool full[N_RANKS]; /* ranks without room */

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 13);
    memset(full, 0, sizeof(full));
    table = osw_object_table_create(1 << 20);
    return table ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    osw_object_table_destroy(table);
    return 0;
}

static bool has_room(void *arg, int rank)
{
    (void)arg;
    return !full[rank];
}

static void want(int rank, const char *id)
{
    osw_object_table_want(table, rank, id);
}

/* The next message is that word, to that rank. */
static void expect_word(int want_rank, enum osw_object_kind kind)
{
    struct osw_msg m;
    int rank;

    assert_true(osw_object_table_next(table, has_room, NULL, &rank, &m));
    assert_int_equal(m.u.object.kind, kind);
    assert_int_equal(m.u.object.n, 0);
    assert_int_equal(rank, want_rank);
}

static void expect_nothing(void)
{
    struct osw_msg m;
    int rank;

    assert_false(osw_object_table_next(table, has_room, NULL, &rank, &m));
}

static struct osw_object object(const char *id)
{
    struct osw_object o = {
        .id = id, .kind = OSW_OBJECT_CODE, .data = bytes, .size = SIZE};

    osw_object_sum(&o);
    return o;
}

static int take(int rank, const struct osw_object *o, uint32_t offset)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m = osw_object_cut(o, offset);

    return osw_object_table_take(table, rank, &m.u.object, &err);
}

static void take_all(int rank, const char *id)
{
    struct osw_object o = object(id);

    for (uint32_t at = 0; at < SIZE; at += OSW_MSG_MAX_CHUNK)
        assert_int_equal(take(rank, &o, at), 0);
}

static void say_none(int rank)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m = osw_object_word(ID, OSW_OBJECT_NONE);

    assert_int_equal(osw_object_table_take(table, rank, &m.u.object, &err), 0);
}

/* Whole objects that the ranks get, whatever the order: bit r for rank r. */
static unsigned deliver(void)
{
    struct osw_object_parts parts[N_RANKS] = {{.data = NULL}};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m;
    unsigned got = 0;
    int rank, rc;

    while (osw_object_table_next(table, has_room, NULL, &rank, &m)) {
        rc = osw_object_join(&parts[rank], &m.u.object, &err);
        assert_true(rc >= 0);
        if (rc == 0)
            continue;
        assert_memory_equal(parts[rank].data, bytes, SIZE);
        osw_object_parts_free(&parts[rank]);
        got |= 1U << rank;
    }
    return got;
}

static void one_rank_makes_it_and_all_others_get_it(void **state)
{
    (void)state;
    for (int r = 1; r <= 5; r++)
        want(r, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    expect_nothing();
    take_all(1, ID);
    assert_int_equal(deliver(), 0x3c);
    want(6, ID); /* later */
    assert_int_equal(deliver(), 0x40);
}

static void objects_do_not_mix(void **state)
{
    (void)state;
    want(1, ID);
    want(2, OTHER);
    expect_word(1, OSW_OBJECT_MAKE);
    expect_word(2, OSW_OBJECT_MAKE);
    want(2, ID);
    want(1, OTHER);
    take_all(2, OTHER);
    assert_int_equal(deliver(), 1 << 1);
    take_all(1, ID);
    assert_int_equal(deliver(), 1 << 2);
}

static void a_rank_without_room_holds_no_other_up(void **state)
{
    (void)state;
    for (int r = 1; r <= 3; r++)
        want(r, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    take_all(1, ID);
    full[2] = true;
    assert_int_equal(deliver(), 1 << 3);
    full[2] = false;
    assert_int_equal(deliver(), 1 << 2);
}

static void the_next_rank_makes_what_a_lost_one_did_not(void **state)
{
    struct osw_object o = object(ID);

    (void)state;
    for (int r = 1; r <= 4; r++)
        want(r, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    assert_int_equal(take(1, &o, 0), 0); /* a part of it */
    osw_object_table_lost(table, 3);
    osw_object_table_lost(table, 1);
    expect_word(2, OSW_OBJECT_MAKE);
    take_all(1, ID); /* it is back: too late */
    expect_nothing();
    take_all(2, ID);
    assert_int_equal(deliver(), 1 << 4);
}

static void a_lost_maker_without_others_leaves_nothing(void **state)
{
    (void)state;
    want(1, ID);
    osw_object_table_lost(table, 1); /* before it was told */
    expect_nothing();
    want(2, ID);
    expect_word(2, OSW_OBJECT_MAKE);
}

static void a_lost_rank_is_sent_nothing(void **state)
{
    (void)state;
    for (int r = 1; r <= 3; r++)
        want(r, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    take_all(1, ID);
    osw_object_table_lost(table, 2);
    assert_int_equal(deliver(), 1 << 3);
}

static void what_cannot_be_made_is_left_to_each(void **state)
{
    (void)state;
    want(1, ID);
    want(2, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    say_none(2); /* it was not asked */
    expect_nothing();
    say_none(1);
    expect_word(2, OSW_OBJECT_NONE);
    want(3, ID);
    expect_word(3, OSW_OBJECT_NONE);
}

static void other_bytes_than_promised_are_left_to_each(void **state)
{
    struct osw_object o = object(ID);

    (void)state;
    want(1, ID);
    want(2, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    assert_int_equal(take(1, &o, 0), 0);
    bytes[SIZE - 1] ^= 1;
    assert_int_equal(take(1, &o, OSW_MSG_MAX_CHUNK), 0);
    assert_int_equal(take(1, &o, 2 * OSW_MSG_MAX_CHUNK), -1);
    expect_word(2, OSW_OBJECT_NONE);
}

static void there_is_room_for_so_many_bytes(void **state)
{
    struct osw_object o = object(OTHER);

    (void)state;
    osw_object_table_destroy(table);
    table = osw_object_table_create(SIZE + SIZE - 1);
    want(1, ID);
    want(1, OTHER);
    expect_word(1, OSW_OBJECT_MAKE);
    expect_word(1, OSW_OBJECT_MAKE);
    take_all(1, ID);
    assert_int_equal(take(1, &o, 0), -1);
    want(2, OTHER);
    expect_word(2, OSW_OBJECT_NONE);
    want(2, ID);
    assert_int_equal(deliver(), 1 << 2);
}

/* What was sent in part takes its room once, however often it begins. */
static void an_upload_that_begins_anew_takes_its_room_once(void **state)
{
    struct osw_object o = object(ID);

    (void)state;
    osw_object_table_destroy(table);
    table = osw_object_table_create(SIZE);
    want(1, ID);
    expect_word(1, OSW_OBJECT_MAKE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(1, &o, 0), 0);
    osw_object_table_lost(table, 1);
    want(2, ID);
    expect_word(2, OSW_OBJECT_MAKE);
    take_all(2, ID);
    want(3, ID);
    assert_int_equal(deliver(), 1 << 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(one_rank_makes_it_and_all_others_get_it),
        T(objects_do_not_mix),
        T(a_rank_without_room_holds_no_other_up),
        T(the_next_rank_makes_what_a_lost_one_did_not),
        T(a_lost_maker_without_others_leaves_nothing),
        T(a_lost_rank_is_sent_nothing),
        T(what_cannot_be_made_is_left_to_each),
        T(other_bytes_than_promised_are_left_to_each),
        T(there_is_room_for_so_many_bytes),
        T(an_upload_that_begins_anew_takes_its_room_once),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

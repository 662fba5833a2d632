/* test_exchange.c - what the members of a gang tell each other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/sched/exchange.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int add(struct osw_exchange *x, uint32_t rank, uint32_t number,
               const char *part)
{
    struct osw_error err = OSW_ERROR_INIT;

    return osw_exchange_add(x, rank, number, part, (uint32_t)strlen(part),
                            &err);
}

static void all_parts_come_by_rank_whatever_their_order(void **state)
{
    struct osw_exchange x;

    (void)state;
    osw_exchange_init(&x, 3);
    assert_false(osw_exchange_is_open(&x));
    assert_int_equal(add(&x, 2, 1, "cc"), 0);
    assert_true(osw_exchange_is_open(&x));
    assert_int_equal(add(&x, 0, 1, "aa"), 0);
    assert_int_equal(add(&x, 1, 1, "bb"), 1);
    assert_false(osw_exchange_is_open(&x));
    assert_memory_equal(x.parts, "aabbcc", 6);
    assert_int_equal(add(&x, 0, 2, "x"), 0); /* the next one, of other size */
    assert_int_equal(add(&x, 2, 2, "z"), 0);
    assert_int_equal(add(&x, 1, 2, "y"), 1);
    assert_memory_equal(x.parts, "xyz", 3);
}

static void the_largest_gang_and_no_bytes_at_all(void **state)
{
    unsigned char part[OSW_GANG_MAX_EXCHANGE];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_exchange x;

    (void)state;
    osw_exchange_init(&x, OSW_GANG_MAX);
    for (uint32_t r = 0; r < OSW_GANG_MAX; r++) {
        memset(part, (int)r, sizeof(part));
        assert_int_equal(osw_exchange_add(&x, r, 1, part, sizeof(part), &err),
                         r == OSW_GANG_MAX - 1);
    }
    for (size_t i = 0; i < sizeof(x.parts); i++)
        assert_int_equal(x.parts[i], i / sizeof(part));
    for (uint32_t r = 0; r < OSW_GANG_MAX; r++)
        assert_int_equal(add(&x, r, 2, ""), r == OSW_GANG_MAX - 1);
}

/* To an exchange 2 of which rank 0 has given two bytes. */
static void
parts_that_do_not_belong_are_refused_and_change_nothing(void **state)
{
    static const struct {
        uint32_t rank, number;
        const char *part, *want;
    } rows[] = {
        {1, 1, "bb", "rank 1 of the gang is at exchange 1, expected 2"},
        {1, 3, "bb", "rank 1 of the gang is at exchange 3, expected 2"},
        {0, 2, "aa", "rank 0 of the gang is at exchange 2, expected 3"},
        {1, 2, "b",
         "rank 1 of the gang gives 1 bytes to exchange 2, expected "
         "2"},
    };
    struct osw_exchange x;

    (void)state;
    osw_exchange_init(&x, 2);
    assert_int_equal(add(&x, 0, 1, ""), 0);
    assert_int_equal(add(&x, 1, 1, ""), 1);
    assert_int_equal(add(&x, 0, 2, "aa"), 0);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_exchange_add(&x, rows[i].rank, rows[i].number,
                                          rows[i].part,
                                          (uint32_t)strlen(rows[i].part), &err),
                         -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_string_equal(err.text, rows[i].want);
    }
    assert_int_equal(add(&x, 1, 2, "bb"), 1);
    assert_memory_equal(x.parts, "aabb", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parts_come_by_rank_whatever_their_order),
        cmocka_unit_test(the_largest_gang_and_no_bytes_at_all),
        cmocka_unit_test(
            parts_that_do_not_belong_are_refused_and_change_nothing),
    };

    return cmocka_run_group_tests_name("mpi_runner/exchange", tests, NULL,
                                       NULL);
}

/* tests/unit/worker/test_hash.c - a hash that sees every change
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "worker/hash.h"

enum { SIZE = 203 }; /* whole rounds, words and a tail */

static void make_data(unsigned char *data)
{
    for (int i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * 37 + 11);
}

static void every_single_bit_counts(void **state)
{
    unsigned char data[SIZE];
    uint64_t before;

    (void)state;
    make_data(data);
    before = osw_hash_bytes(data, SIZE, 1);
    for (int bit = 0; bit < 8 * SIZE; bit++) {
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(osw_hash_bytes(data, SIZE, 1) != before);
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(osw_hash_bytes(data, SIZE, 1) == before);
}

static void words_that_change_places_count(void **state)
{
    unsigned char data[SIZE], swapped[SIZE];
    uint64_t before;

    (void)state;
    make_data(data);
    before = osw_hash_bytes(data, SIZE, 1);
    for (size_t i = 0; i + 16 <= SIZE; i += 8) {
        memcpy(swapped, data, SIZE);
        memcpy(swapped + i, data + i + 8, 8);
        memcpy(swapped + i + 8, data + i, 8);
        assert_true(osw_hash_bytes(swapped, SIZE, 1) != before);
    }
}

static void length_and_seed_count_and_alignment_does_not(void **state)
{
    unsigned char zeros[64] = {0}, data[SIZE + 1], moved[SIZE + 1];

    (void)state;
    for (size_t n = 0; n < sizeof(zeros); n++)
        assert_true(osw_hash_bytes(zeros, n, 1) !=
                    osw_hash_bytes(zeros, n + 1, 1));
    make_data(data);
    memcpy(moved + 1, data, SIZE);
    assert_true(osw_hash_bytes(moved + 1, SIZE, 1) ==
                osw_hash_bytes(data, SIZE, 1));
    assert_true(osw_hash_bytes(data, SIZE, 1) != osw_hash_bytes(data, SIZE, 2));
    assert_true(osw_hash_bytes(NULL, 0, 1) != osw_hash_bytes(NULL, 0, 2));
}

/* Whole rounds, words and a tail; bytes after the end stay. */
static void a_copy_is_hashed_as_what_it_holds(void **state)
{
    unsigned char data[SIZE], to[SIZE + 1];

    (void)state;
    make_data(data);
    for (size_t n = 0; n <= SIZE; n++) {
        memset(to, 0xee, sizeof(to));
        assert_true(osw_hash_copy(to, data, n, 1) ==
                    osw_hash_bytes(data, n, 1));
        assert_memory_equal(to, data, n);
        assert_int_equal(to[n], 0xee);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_single_bit_counts),
        cmocka_unit_test(words_that_change_places_count),
        cmocka_unit_test(length_and_seed_count_and_alignment_does_not),
        cmocka_unit_test(a_copy_is_hashed_as_what_it_holds),
    };

    return cmocka_run_group_tests_name("worker/hash", tests, NULL, NULL);
}

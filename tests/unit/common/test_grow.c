/* tests/unit/common/test_grow.c - arrays that grow keep what is in them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "common/grow.h"
#include "tests/unit/chaos.h"

static void items_stay_where_they_were_put(void **state)
{
    size_t n = 0, size = 0, moves = 0;
    uint64_t *array = NULL;

    (void)state;
    for (; n < 1000; n++) {
        size_t was = size;
        uint64_t *p = osw_grow(array, n, &size, sizeof(*p));

        assert_non_null(p);
        array = p;
        array[n] = 3 * n;
        moves += size != was;
    }
    assert_int_equal(size, 1024);
    assert_int_equal(moves, 5); /* 64, 128, 256, 512, 1024 */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(array[i], 3 * i);
    free(array);
}

static void without_memory_nothing_changes(void **state)
{
    size_t size = 0;
    char *array = osw_grow(NULL, 0, &size, 1), *same;

    (void)state;
    assert_non_null(array);
    assert_int_equal(size, 64);
    array[63] = 'x';
    chaos_arm(0);
    assert_null(osw_grow(array, 64, &size, 1));
    assert_true(chaos_struck());
    assert_int_equal(size, 64);
    assert_int_equal(array[63], 'x');
    same = osw_grow(array, 63, &size, 1); /* has room */
    assert_ptr_equal(same, array);
    free(array);
}

static void in_an_arena_items_are_copied(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    size_t n = 0, size = 0;
    uint64_t *array = NULL;

    (void)state;
    for (; n < 1000; n++) {
        uint64_t *p = osw_grow_in(arena, array, n, &size, sizeof(*p));

        assert_non_null(p);
        array = p;
        array[n] = 3 * n;
    }
    assert_int_equal(size, 1024);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(array[i], 3 * i);
    size = SIZE_MAX / 4;
    assert_null(osw_grow_in(arena, NULL, size, &size, 16));
    assert_int_equal(size, SIZE_MAX / 4);
    osw_arena_destroy(arena);
}

static void a_size_beyond_memory_is_refused(void **state)
{
    size_t size = SIZE_MAX / 4;

    (void)state;
    assert_null(osw_grow(NULL, size, &size, 16));
    assert_int_equal(size, SIZE_MAX / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_where_they_were_put),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(in_an_arena_items_are_copied),
        cmocka_unit_test(a_size_beyond_memory_is_refused),
    };

    return cmocka_run_group_tests_name("common/grow", tests, NULL, NULL);
}

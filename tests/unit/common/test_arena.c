/* tests/unit/common/test_arena.c - memory by lifetime */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/arena.h"
#include "tests/unit/chaos.h"

static int set_up(void **state)
{
    *state = osw_arena_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    osw_arena_destroy(*state);
    return 0;
}

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    static const size_t sizes[] = {0,    1,     15,    16,    17,
                                   4096, 65535, 65536, 200000};
    unsigned char *last = NULL;
    size_t last_size = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char *p = osw_arena_alloc(*state, sizes[i]);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xff, sizes[i]);
        if (last_size)
            assert_int_equal(last[last_size - 1], 0xff);
        last = p;
        last_size = sizes[i];
    }
}

static void memory_is_zeroed_again_after_reset(void **state)
{
    unsigned char *p = osw_arena_alloc(*state, 100);

    memset(p, 0xff, 100);
    osw_arena_reset(*state);
    p = osw_arena_alloc(*state, 100);
    assert_non_null(p);
    for (size_t k = 0; k < 100; k++)
        assert_int_equal(p[k], 0);
}

/* Large arrays are zeros without being written to, small ones that follow come
 * from the block that was in use; after a reset old bytes are gone.
 */
static void large_arrays_are_zeroed_whether_fresh_or_not(void **state)
{
    enum { LARGE = 1 << 20 };

    for (int round = 0; round < 3; round++) {
        unsigned char *small = osw_arena_alloc(*state, 8);
        unsigned char *large = osw_arena_alloc(*state, LARGE);
        unsigned char *next = osw_arena_alloc(*state, 8);

        assert_true(small && large && next);
        assert_ptr_equal(next, small + 16);
        for (size_t i = 0; i < LARGE; i++)
            assert_int_equal(large[i], 0);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(small[i] | next[i], 0);
        memset(small, 0xff, 8);
        memset(large, 0xff, LARGE);
        memset(next, 0xff, 8);
        osw_arena_reset(*state);
    }
}

static void strings_do_not_disturb_alignment(void **state)
{
    char *one = osw_arena_strdup(*state, "one");
    char *two = osw_arena_strndup(*state, "two", 3);
    void *aligned = osw_arena_alloc(*state, 1);

    assert_ptr_equal(two, one + 4);
    assert_int_equal((uintptr_t)aligned % 16, 0);
    assert_string_equal(one, "one");
    assert_string_equal(two, "two");
}

static void reset_of_an_empty_arena_does_nothing(void **state)
{
    osw_arena_reset(*state);
    assert_non_null(osw_arena_alloc(*state, 1));
}

static void sizes_that_overflow_give_null(void **state)
{
    assert_null(osw_arena_alloc(*state, SIZE_MAX));
    assert_null(osw_arena_alloc(*state, SIZE_MAX - 8));
    assert_null(osw_arena_array(*state, SIZE_MAX / 2, 3));
    assert_null(osw_arena_strndup(*state, "x", SIZE_MAX));
    assert_non_null(osw_arena_array(*state, 0, 8));
    assert_non_null(osw_arena_array(*state, 8, 0));
}

static void strings_are_copied_with_their_end(void **state)
{
    char source[] = "abc";
    char *copy = osw_arena_strdup(*state, source);
    char *part = osw_arena_strndup(*state, source, 2);

    source[0] = 'X';
    assert_string_equal(copy, "abc");
    assert_string_equal(part, "ab");
    assert_string_equal(osw_arena_printf(*state, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(osw_arena_printf(*state, "%s", ""), "");
}

static void every_allocation_failure_gives_null(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        osw_arena_t *arena;
        void *p = NULL;

        chaos_arm(failures);
        arena = osw_arena_create();
        if (arena)
            p = osw_arena_alloc(arena, 10);
        if (p)
            p = osw_arena_printf(arena, "%099999d", 1);
        struck = chaos_struck();
        assert_true(struck ? !p : p != NULL);
        osw_arena_destroy(arena);
    }
    assert_int_equal(failures, 3); /* the arena, two blocks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(memory_is_zeroed_aligned_and_apart),
        T(memory_is_zeroed_again_after_reset),
        T(large_arrays_are_zeroed_whether_fresh_or_not),
        T(strings_do_not_disturb_alignment),
        T(reset_of_an_empty_arena_does_nothing),
        T(sizes_that_overflow_give_null),
        T(strings_are_copied_with_their_end),
#undef T
        cmocka_unit_test(every_allocation_failure_gives_null),
    };

    return cmocka_run_group_tests_name("common/arena", tests, NULL, NULL);
}

/* test_heap.c - the largest of n numbered items */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_runner/sched/heap.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void items_come_out_by_key_then_number(void **state)
{
    static const double keys[] = {3, 9, 1, 9, 0, 5};
    static const uint32_t want[] = {1, 3, 5, 0, 2, 4};
    osw_heap_t *h = osw_heap_create(N_ELEM(keys));
    double key;

    (void)state;
    assert_non_null(h);
    for (uint32_t i = 0; i < N_ELEM(keys); i++)
        osw_heap_set(h, i, keys[i]);
    for (size_t i = 0; i < N_ELEM(want); i++) {
        assert_int_equal(osw_heap_top(h, &key), want[i]);
        assert_true(key == keys[want[i]]);
        osw_heap_drop(h, want[i]);
    }
    assert_int_equal(osw_heap_top(h, &key), OSW_HEAP_NONE);
    osw_heap_destroy(h);
}

/* Any sequence of changes, against a search through all keys. */
static void top_agrees_with_a_search_after_any_change(void **state)
{
    enum { N = 37 };
    osw_heap_t *h = osw_heap_create(N);
    double keys[N];
    uint32_t seed = 1;

    (void)state;
    assert_non_null(h);
    for (int i = 0; i < N; i++)
        keys[i] = -1; /* out */
    for (int step = 0; step < 20000; step++) {
        uint32_t item, best = OSW_HEAP_NONE;
        double key = 0;

        seed = seed * 1664525u + 1013904223u;
        item = (seed >> 8) % N;
        if ((seed >> 20) % 3 == 0) {
            keys[item] = -1;
            osw_heap_drop(h, item);
        } else {
            keys[item] = (seed >> 24) % 16;
            osw_heap_set(h, item, keys[item]);
        }
        for (uint32_t i = 0; i < N; i++)
            if (keys[i] >= 0 && (best == OSW_HEAP_NONE || keys[i] > keys[best]))
                best = i;
        assert_int_equal(osw_heap_top(h, &key), best);
        if (best != OSW_HEAP_NONE)
            assert_true(key == keys[best]);
    }
    osw_heap_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_by_key_then_number),
        cmocka_unit_test(top_agrees_with_a_search_after_any_change),
    };

    return cmocka_run_group_tests_name("mpi_runner/heap", tests, NULL, NULL);
}

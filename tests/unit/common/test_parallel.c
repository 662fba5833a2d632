/* tests/unit/results/test_parallel.c - every piece once, on any threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "common/parallel.h"

enum { N = 1000 };

static atomic_int calls[N];

static void count(void *arg, size_t i)
{
    assert_ptr_equal(arg, calls);
    atomic_fetch_add(&calls[i], 1);
}

static void each_piece_is_done_once(void **state)
{
    static const unsigned threads[] = {0, 1, 2, 3, 8, 100};

    (void)state;
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
        for (size_t n = 0; n <= N; n = n ? n * 10 : 1) {
            memset(calls, 0, sizeof(calls));
            osw_parallel(threads[t], n, count, calls);
            for (size_t i = 0; i < N; i++)
                assert_int_equal(calls[i], i < n);
        }
}

static void there_is_at_least_one_thread(void **state)
{
    (void)state;
    assert_in_range(osw_parallel_threads(), 1, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_is_done_once),
        cmocka_unit_test(there_is_at_least_one_thread),
    };

    return cmocka_run_group_tests_name("results/parallel", tests, NULL, NULL);
}

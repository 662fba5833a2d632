/* tests/unit/sched/test_chain.c - lists of numbered items, in order */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_runner/sched/chain.h"

enum { N = 4 };

/* Add 0..N-1, drop one, add it again; what is taken then. */
static const struct {
    const char *what;
    uint32_t drop;
    uint32_t want[N];
} cases[] = {
    /* clang-format off */
    { "the first",       0, { 1, 2, 3, 0 } },
    { "one in between",  2, { 0, 1, 3, 2 } },
    { "the last",        3, { 0, 1, 2, 3 } },
    /* clang-format on */
};

static void an_item_is_dropped_and_appended(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_chain chain = OSW_CHAIN_INIT;
        uint32_t next[N];

        print_message("  case: %s\n", cases[i].what);
        for (uint32_t k = 0; k < N; k++)
            osw_chain_add(&chain, next, k);
        osw_chain_drop(&chain, next, cases[i].drop);
        osw_chain_add(&chain, next, cases[i].drop);
        for (int k = 0; k < N; k++)
            assert_int_equal(osw_chain_take(&chain, next), cases[i].want[k]);
        assert_int_equal(osw_chain_take(&chain, next), OSW_CHAIN_NONE);
    }
}

static void the_only_item_leaves_an_empty_list(void **state)
{
    struct osw_chain chain = OSW_CHAIN_INIT;
    uint32_t next[N];

    (void)state;
    osw_chain_add(&chain, next, 1);
    osw_chain_drop(&chain, next, 1);
    assert_int_equal(osw_chain_take(&chain, next), OSW_CHAIN_NONE);
    osw_chain_add(&chain, next, 2);
    osw_chain_add(&chain, next, 1);
    assert_int_equal(osw_chain_take(&chain, next), 2);
    assert_int_equal(osw_chain_take(&chain, next), 1);
    assert_int_equal(osw_chain_take(&chain, next), OSW_CHAIN_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_is_dropped_and_appended),
        cmocka_unit_test(the_only_item_leaves_an_empty_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

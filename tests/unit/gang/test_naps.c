/* test_naps.c - how long a judge that carries messages sleeps */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/process/naps.h"

/* Its nap after n further ticks without a message. */
static int64_t after(struct osw_naps *naps, uint64_t n_carried, int n)
{
    int64_t ns = 0;

    while (n-- > 0)
        ns = osw_naps_next_ns(naps, n_carried);
    return ns;
}

static void naps_grow_while_nothing_is_carried(void **state)
{
    struct osw_naps naps = {.n_ticks = 0};

    (void)state;
    assert_int_equal(after(&naps, 0, 20), 0);
    assert_int_equal(after(&naps, 0, 1), 50000);
    assert_int_equal(after(&naps, 0, 1), 100000);
    assert_int_equal(after(&naps, 0, 17), 950000);
    assert_int_equal(after(&naps, 0, 1), 1000000);
    assert_int_equal(after(&naps, 0, 100000), 1000000);
}

static void a_message_wakes_it_up(void **state)
{
    struct osw_naps naps = {.n_ticks = 0};

    (void)state;
    assert_int_equal(after(&naps, 7, 41), 1000000);
    assert_int_equal(after(&naps, 8, 1), 0);
    assert_int_equal(after(&naps, 8, 20), 0);
    assert_int_equal(after(&naps, 8, 1), 50000);
    assert_int_equal(after(&naps, 10, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naps_grow_while_nothing_is_carried),
        cmocka_unit_test(a_message_wakes_it_up),
    };

    return cmocka_run_group_tests_name("gang/naps", tests, NULL, NULL);
}

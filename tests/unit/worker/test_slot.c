/* tests/unit/worker/test_slot.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>

#include "worker/slot.h"

static void slots_are_side_by_side_when_all_fit(void **state)
{
    static const struct {
        size_t cores;
        int32_t index, n_local;
        uint32_t threads;
        size_t first, n;
    } rows[] = {
        {2, 0, 1, 1, 0, 1}, {2, 0, 1, 2, 0, 2}, {2, 1, 2, 1, 1, 1},
        {2, 0, 3, 1, 0, 0}, /* three workers do not fit two cores */
        {8, 3, 4, 2, 6, 2}, {8, 1, 4, 3, 0, 0}, {64, 7, 8, 8, 56, 8},
        {8, 4, 4, 2, 0, 0}, /* no such worker */
        {8, 0, 4, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_slot s = osw_slot_choose(rows[i].cores, rows[i].index,
                                            rows[i].n_local, rows[i].threads);

        assert_int_equal(s.first, rows[i].first);
        assert_int_equal(s.n, rows[i].n);
    }
}

static void a_thread_enters_its_slot(void **state)
{
    cpu_set_t before, after;
    int cores;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    cores = CPU_COUNT(&before);
    osw_slot_enter(cores - 1, cores, 1);
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    osw_slot_enter(0, cores + 1, 1); /* does not fit: nothing changes */
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_int_equal(CPU_COUNT(&after), cores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_side_by_side_when_all_fit),
        cmocka_unit_test(a_thread_enters_its_slot),
    };

    return cmocka_run_group_tests_name("worker/slot", tests, NULL, NULL);
}

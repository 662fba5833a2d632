/* tests/unit/worker/test_slot.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "worker/slot.h"
#include "worker/slot_device.h"

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

/* Two sockets: even cores are near the first two GPUs, odd ones near the
 * others. */
static void a_worker_gets_cores_near_its_device(void **state)
{
    static const struct {
        const char *what, *usable, *near[4], *want[4];
        uint32_t threads;
    } rows[] = {
        /* clang-format off */
        {"both sockets", "0-7", {"0,2,4,6", "0,2,4,6", "1,3,5,7", "1,3,5,7"},
         {"0,2", "4,6", "1,3", "5,7"}, 2},
        {"one core each", "0-7", {"1,3,5,7", "1,3,5,7", "0,2,4,6", "0,2,4,6"},
         {"1", "3", "0", "2"}, 1},
        {"all near one socket", "0-7", {"0-3", "0-3", "0-3", "0-3"},
         {"0-1", "2-3", "4-5", "6-7"}, 2},
        {"one that lacks cores takes none of another's", "0-7",
         {"0", "0", "2-3", "4-5"}, {"0-1", "6-7", "2-3", "4-5"}, 2},
        {"not known of one", "0-7", {"6-7", "", "0-1", "2-3"},
         {"6-7", "4-5", "0-1", "2-3"}, 2},
        {"a part of the node", "0-1,4-5", {"0-3", "0-3", "4-7", "4-7"},
         {"0", "1", "4", "5"}, 1},
        {"too few for all", "0-6", {"0-3", "0-3", "4-7", "4-7"},
         {"", "", "", ""}, 2},
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cpu_set_t usable, near[4], want, found;

        print_message("  case: %s\n", rows[i].what);
        assert_true(osw_slot_read_list(rows[i].usable, &usable));
        for (int k = 0; k < 4; k++)
            (void)osw_slot_read_list(rows[i].near[k], &near[k]);
        for (int k = 0; k < 4; k++) {
            bool enough = osw_slot_read_list(rows[i].want[k], &want);

            assert_int_equal(osw_slot_choose_near(&usable, near, k, 4,
                                                  rows[i].threads, &found),
                             enough);
            assert_true(CPU_EQUAL(&found, &want));
        }
        assert_false(osw_slot_choose_near(&usable, near, 4, 4, 1, &found));
    }
}

static void lists_of_cores_are_read_whole_or_not_at_all(void **state)
{
    static const struct {
        const char *text;
        int n; /* -1: no list */
    } rows[] = {
        {"0", 1},          {"0-3\n", 4},
        {"0-1,8-9,12", 5}, {"1023", 1},
        {"", -1},          {"\n", -1},
        {"3-1", -1},       {"0-", -1},
        {"0,", -1},        {"a", -1},
        {"0-1024", -1},    {"-1", -1},
        {"0 1", -1},       {"99999999999999999999", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cpu_set_t set;

        print_message("  list: '%s'\n", rows[i].text);
        assert_int_equal(osw_slot_read_list(rows[i].text, &set),
                         rows[i].n >= 0);
        assert_int_equal(CPU_COUNT(&set), rows[i].n < 0 ? 0 : rows[i].n);
    }
}

static void a_device_is_found_in_sysfs_by_its_name(void **state)
{
    char path[96];

    (void)state;
    assert_int_equal(
        osw_slot_device_path("00000000:1B:00.0", path, sizeof(path)), 0);
    assert_string_equal(path,
                        "/sys/bus/pci/devices/0000:1b:00.0/local_cpulist");
    assert_int_equal(
        osw_slot_device_path("00010000:C1:1f.7", path, sizeof(path)), 0);
    assert_string_equal(path,
                        "/sys/bus/pci/devices/10000:c1:1f.7/local_cpulist");
    assert_int_equal(osw_slot_device_path("", path, sizeof(path)), -1);
    assert_int_equal(osw_slot_device_path("../../etc", path, sizeof(path)), -1);
    assert_int_equal(
        osw_slot_device_path("0000:1B:00.0/..", path, sizeof(path)), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_side_by_side_when_all_fit),
        cmocka_unit_test(a_thread_enters_its_slot),
        cmocka_unit_test(a_worker_gets_cores_near_its_device),
        cmocka_unit_test(lists_of_cores_are_read_whole_or_not_at_all),
        cmocka_unit_test(a_device_is_found_in_sysfs_by_its_name),
    };

    return cmocka_run_group_tests_name("worker/slot", tests, NULL, NULL);
}

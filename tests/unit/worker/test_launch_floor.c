/* tests/unit/worker/test_launch_floor.c - how far launches of the same code
 * differ */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "worker/judge/inputs/philox.h"
#include "worker/launch_floor.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Uniform numbers of variance 1. */
static double noise(uint64_t i)
{
    struct osw_philox p = osw_philox_element(7, 0, 0, i);

    return sqrt(12.0) * ((double)p.w[0] / 4294967296.0 - 0.5);
}

/* Launches whose times are known to scatter: of pairs of new ones 95 % lie
 * within, about.
 */
static void nineteen_of_twenty_pairs_lie_within(void **state)
{
    size_t n_within = 0, n = 0;
    uint64_t at = 0;

    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        double small[OSW_LAUNCHES], large[OSW_LAUNCHES];
        struct osw_launch_floor f;

        for (size_t i = 0; i < OSW_LAUNCHES; i++) {
            small[i] = 2000 + 300 * noise(at++);
            large[i] = 400000 * (1 + 0.004 * noise(at++));
        }
        f = osw_launch_floor_of(small, large, OSW_LAUNCHES);
        for (int k = 0; k < 20; k++, n += 2) {
            double a = 2000 + 300 * noise(at), b = 2000 + 300 * noise(at + 1);
            double c = 1 + 0.004 * noise(at), d = 1 + 0.004 * noise(at + 1);

            at += 2;
            n_within += fabs(a - b) <= f.ns;
            n_within += fabs(c - d) <= f.part;
        }
    }
    print_message("  %zu of %zu\n", n_within, n);
    assert_in_range(n_within * 100 / n, 93, 97);
}

static void processes_placed_alike_promise_no_more_than_is_known(void **state)
{
    const double x[3] = {1500, 1500, 1500};
    struct osw_launch_floor f = osw_launch_floor_of(x, x, 3);

    (void)state;
    assert_true(f.ns == OSW_LAUNCH_NS && f.part == 0.0005);
}

/* Of a device on which others work: what cannot be read back is not kept. */
static void a_floor_of_wild_times_can_be_read_back(void **state)
{
    const double x[4] = {1e3, 1e9, 1e3, 1e9}, y[4] = {1e4, 1e12, 1e4, 1e4};
    struct osw_launch_floor f = osw_launch_floor_of(x, y, 4);

    (void)state;
    assert_true(f.ns == 1e6 && f.part == 1);
}

static void a_file_is_read_as_from_a_stranger(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"launch_ns\": 120}",
        "{\"launch_ns\": -1, \"launch_part\": 0.01}",
        "{\"launch_ns\": 120, \"launch_part\": 2}",
        "{\"launch_ns\": 1e300, \"launch_part\": 0.01}",
        "{\"launch_ns\": \"120\", \"launch_part\": 0.01}",
        "{\"launch_ns\": null, \"launch_part\": null}",
        "{\"launch_ns\": 120, \"launch_part\": 0.1, \"until\": 1000}",
        "{\"launch_ns\": 120, \"launch_part\": 0.1, \"until\": \"soon\"}",
    };
    static const char good[] =
        "{\"launch_ns\": 120.5, \"launch_part\": 0.01, \"until\": 1001}";
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_launch_floor f = {1, 2};

    (void)state;
    for (size_t i = 0; i < N_ELEM(bad); i++) {
        if (osw_launch_floor_parse(bad[i], strlen(bad[i]), 1000, &f, &err) == 0)
            fail_msg("taken: %s", bad[i]);
        assert_true(f.ns == 1 && f.part == 2);
    }
    assert_int_equal(osw_launch_floor_parse(good, strlen(good), 1000, &f, &err),
                     0);
    assert_true(f.ns == 120.5 && f.part == 0.01);
}

static void a_device_without_one_has_the_widest_known(void **state)
{
    struct osw_device_info info;
    struct osw_launch_floor f;

    (void)state;
    osw_device_info_init(&info);
    f = osw_launch_floor_known(&info);
    assert_true(f.ns == 250 && f.part == 0.003);
    info.launch_ns = 90;
    info.launch_part = 0.002;
    f = osw_launch_floor_known(&info);
    assert_true(f.ns == 90 && f.part == 0.002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nineteen_of_twenty_pairs_lie_within),
        cmocka_unit_test(processes_placed_alike_promise_no_more_than_is_known),
        cmocka_unit_test(a_floor_of_wild_times_can_be_read_back),
        cmocka_unit_test(a_file_is_read_as_from_a_stranger),
        cmocka_unit_test(a_device_without_one_has_the_widest_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

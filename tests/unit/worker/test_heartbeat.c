/* tests/unit/worker/test_heartbeat.c - long work on memory ticks in between */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/memory/heartbeat.h"
#include "worker/judge/memory/judge_ops.h"

/* More than twice what is between two ticks. */
enum { ROWS = 1100, COLS = 2000, N = ROWS * COLS };

static int n_ticks;

static void tick(void *arg)
{
    *(int *)arg += 1;
}

static int open_tensor(void **state)
{
    static struct tensor t;
    const int64_t shape[] = {ROWS, COLS};

    tensor_make(&t, OSW_F32, 2, shape, NULL);
    *state = &t;
    osw_heartbeat_left = OSW_HEARTBEAT_EVERY;
    n_ticks = 0;
    osw_heartbeat_set(tick, &n_ticks);
    return 0;
}

static int close_tensor(void **state)
{
    osw_heartbeat_set(NULL, NULL);
    tensor_free(*state);
    return 0;
}

static void a_fill_ticks(void **state)
{
    static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};
    struct tensor *t = *state;

    osw_judge_cpu_ops.fill(NULL, &t->view, &normal, 1, 0, 0);
    assert_int_equal(n_ticks, 2);
}

static void a_comparison_ticks(void **state)
{
    struct tensor *t = *state;
    const struct osw_expected want = {.view = t->view};
    const struct osw_accept accept = {.exact = true};
    struct osw_errors errors;

    osw_judge_cpu_ops.compare(NULL, &t->view, &want, &accept, &errors);
    assert_int_equal(n_ticks, 2);
    assert_true(osw_judge_cpu_ops.passes(NULL, &t->view, &want, &accept));
    assert_int_equal(n_ticks, 4);
    (void)osw_judge_cpu_ops.mean(NULL, &want, N);
    assert_int_equal(n_ticks, 6);
}

static void passes_over_bytes_tick(void **state)
{
    struct tensor *t = *state;
    unsigned char *data = t->view.data;

    osw_judge_cpu_ops.set(NULL, data, 7, t->bytes);
    osw_judge_cpu_ops.copy(NULL, data + t->bytes / 2, data, t->bytes / 2);
    assert_int_equal(n_ticks, 1);
    (void)osw_judge_cpu_ops.check(NULL, data, t->bytes, 7);
    (void)osw_judge_cpu_ops.differs(NULL, data, data, t->bytes);
    (void)osw_judge_cpu_ops.hash(NULL, data, t->bytes, 0);
    assert_int_equal(n_ticks, 4);
}

static void who_has_no_tick_goes_on(void **state)
{
    static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};
    struct tensor *t = *state;

    osw_heartbeat_set(NULL, NULL);
    osw_judge_cpu_ops.fill(NULL, &t->view, &normal, 1, 0, 0);
    assert_int_equal(n_ticks, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_tensor, close_tensor)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_fill_ticks),
        TEST(a_comparison_ticks),
        TEST(passes_over_bytes_tick),
        TEST(who_has_no_tick_goes_on),
    };

    return cmocka_run_group_tests_name("worker/heartbeat", tests, NULL, NULL);
}

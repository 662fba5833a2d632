/* tests/unit/sandbox/test_stamps.c - a sandbox waits for its judge before each
 * call
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/clock.h"
#include "worker/stamps.h"

enum {
    N_CALLS = 8,
    LATE_NS = 1500000000, /* on a busy machine: for so long it has no core */
};

static void *make_calls(void *arg)
{
    struct osw_stamps *s = arg;

    for (uint32_t i = 1; i <= N_CALLS; i++) {
        osw_stamps_begin(s, i, false);
        osw_stamps_end_call(s, i);
    }
    return NULL;
}

static void await(_Atomic uint32_t *word, uint32_t value)
{
    for (uint32_t k = 0; atomic_load(word) != value; k++)
        osw_stamps_wait(k, OSW_STAMPS_SPINS);
}

static void no_call_begins_before_the_judge_says_so(void **state)
{
    struct osw_stamps s;
    pthread_t sandbox;

    (void)state;
    osw_stamps_reset(&s);
    assert_int_equal(pthread_create(&sandbox, NULL, make_calls, &s), 0);
    await(&s.ready, 1);
    osw_clock_sleep_ns(LATE_NS);
    assert_int_equal(atomic_load(&s.ready), 1);
    assert_int_equal(atomic_load(&s.done), 0);
    for (uint32_t i = 1; i <= N_CALLS; i++) {
        await(&s.ready, i);
        atomic_store(&s.go, i);
        await(&s.done, i);
    }
    assert_int_equal(pthread_join(sandbox, NULL), 0);
}

static void who_is_left_by_its_judge_makes_the_other_calls_alone(void **state)
{
    struct osw_stamps s;
    pthread_t sandbox;

    (void)state;
    osw_stamps_reset(&s);
    assert_int_equal(pthread_create(&sandbox, NULL, make_calls, &s), 0);
    atomic_store(&s.go, 1);
    await(&s.ready, 2);
    osw_stamps_leave(&s);
    assert_int_equal(pthread_join(sandbox, NULL), 0);
    assert_int_equal(atomic_load(&s.done), N_CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_call_begins_before_the_judge_says_so),
        cmocka_unit_test(who_is_left_by_its_judge_makes_the_other_calls_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

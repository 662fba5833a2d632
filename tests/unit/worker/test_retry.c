/* tests/unit/worker/test_retry.c - which ends are looked at again */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/eval/retry.h"

static void what_others_may_have_done_is_doubtful(void **state)
{
    static const struct {
        uint8_t status;
        int signal;
        bool mixed, doubtful;
    } cases[] = {
        {OSW_STATE_CRASH, SIGSEGV, false, false},
        {OSW_STATE_CRASH, SIGSEGV, true, true},
        {OSW_STATE_CRASH, SIGKILL, false, true},
        {OSW_STATE_OOM, SIGKILL, false, true}, /* the kernel chose it */
        {OSW_STATE_OOM, 0, false, false},      /* beyond --max-rss */
        {OSW_STATE_TIMEOUT, 0, false, false},
        {OSW_STATE_TIMEOUT, 0, true, true},
        {OSW_STATE_VALUE, 0, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_record r = {.status_id = cases[i].status,
                               .signal = cases[i].signal};

        assert_int_equal(osw_retry_is_doubtful(&r, cases[i].mixed),
                         cases[i].doubtful);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_may_have_done_is_doubtful),
    };

    return cmocka_run_group_tests_name("worker/retry", tests, NULL, NULL);
}

/* tests/unit/worker/test_isolation.c - the words of the setting */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/isolation.h"

static void each_word_is_a_level(void **state)
{
    (void)state;
    assert_int_equal(osw_isolation_level(NULL), OSW_ISOLATION_FULL);
    assert_int_equal(osw_isolation_level(""), OSW_ISOLATION_FULL);
    assert_int_equal(osw_isolation_level("full"), OSW_ISOLATION_FULL);
    assert_int_equal(osw_isolation_level("basic"), OSW_ISOLATION_BASIC);
    assert_int_equal(osw_isolation_level("off"), OSW_ISOLATION_OFF);
    assert_int_equal(osw_isolation_level("of"), OSW_N_ISOLATIONS);
    assert_int_equal(osw_isolation_level("offf"), OSW_N_ISOLATIONS);
    assert_int_equal(osw_isolation_level("FULL"), OSW_N_ISOLATIONS);
}

/* In a child: is it closed afterwards? */
static int is_closed(enum osw_isolation level)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        osw_isolation_close(level);
        _exit(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void a_process_is_closed_where_landlock_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(is_closed(OSW_ISOLATION_OFF), 0);
    assert_int_equal(is_closed(OSW_ISOLATION_BASIC), 1);
    assert_int_equal(is_closed(OSW_ISOLATION_FULL),
                     osw_isolation_landlock() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_is_a_level),
        cmocka_unit_test(a_process_is_closed_where_landlock_is_not_used),
    };

    return cmocka_run_group_tests_name("worker/isolation", tests, NULL, NULL);
}

/* tests/unit/common/test_crash.c - a crash says where it was */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/crash.h"

/* What a child that is hit by a signal says; it ends by that signal. */
static void expect_words(int number, const char *name)
{
    char said[8192];
    size_t used = 0;
    int ends[2], status;
    ssize_t n;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        (void)signal(number, SIG_DFL); /* a sanitizer has one of its own */
        osw_crash_tell();
        raise(number);
        _exit(0);
    }
    close(ends[1]);
    while ((n = read(ends[0], said + used, sizeof(said) - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
    assert_non_null(strstr(said, "opsweep: error: this program crashed by "));
    assert_non_null(strstr(said, name));
    assert_non_null(strstr(said, "test_crash"));
}

static void a_crash_names_its_signal_and_its_frames(void **state)
{
    (void)state;
    expect_words(SIGSEGV, "SIGSEGV, in:\n");
    expect_words(SIGABRT, "SIGABRT, in:\n");
    expect_words(SIGFPE, "SIGFPE, in:\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_names_its_signal_and_its_frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/unit/build/test_compiler_limits.c - what a compiler may take */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops/build/compiler_limits.h"

#define GIB      (UINT64_C(1) << 30)
#define VARIABLE OSW_COMPILER_MEMORY_VARIABLE

static void memory_is_half_of_the_nodes_between_two_and_eight_gib(void **state)
{
    static const struct {
        uint64_t node, want;
    } rows[] = {
        {0, 8 * GIB},        {1 * GIB, 2 * GIB},    {4 * GIB, 2 * GIB},
        {10 * GIB, 5 * GIB}, {16 * GIB, 8 * GIB},   {512 * GIB, 8 * GIB},
        {1, 2 * GIB},        {UINT64_MAX, 8 * GIB},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(osw_compiler_memory(rows[i].node), rows[i].want);
}

static void the_variable_says_how_much(void **state)
{
    static const char *const bad[] = {"much", "-1", "0", "3 apples"};
    uint64_t bytes = 0;

    (void)state;
    setenv(VARIABLE, "1.5G", 1);
    assert_int_equal(osw_compiler_limits_memory(&bytes, NULL), 0);
    assert_int_equal(bytes, 3 * GIB / 2);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        setenv(VARIABLE, bad[i], 1);
        assert_int_equal(osw_compiler_limits_memory(&bytes, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, bad[i]));
        assert_non_null(strstr(err.text, VARIABLE));
    }
    setenv(VARIABLE, "", 1);
    assert_int_equal(osw_compiler_limits_memory(&bytes, NULL), 0);
    assert_true(bytes >= 2 * GIB && bytes <= 8 * GIB);
    unsetenv(VARIABLE);
}

static void limits_are_set_and_lower_ones_stay(void **state)
{
    static const struct rlimit low = {1 << 20, 1 << 20};
    struct rlimit now;
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        setenv(VARIABLE, "3G", 1);
        if (setrlimit(RLIMIT_FSIZE, &low) < 0)
            _exit(9);
        osw_compiler_limits_set();
        if (getrlimit(RLIMIT_DATA, &now) < 0 || now.rlim_max != 3 * GIB)
            _exit(1);
        if (getrlimit(RLIMIT_CPU, &now) < 0 || now.rlim_cur != 3600 ||
            now.rlim_max <= now.rlim_cur)
            _exit(2);
        if (getrlimit(RLIMIT_CORE, &now) < 0 || now.rlim_max != 0)
            _exit(3);
        if (getrlimit(RLIMIT_FSIZE, &now) < 0 || now.rlim_max != 1 << 20)
            _exit(4);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void what_a_compiler_says_at_a_limit_is_known(void **state)
{
    static const struct {
        int signal;
        const char *output;
        const char *want; /* NULL: no limit */
    } rows[] = {
        /* clang-format off */
        {0, "In file included from a.c:1:\n\ncc1: out of memory allocating 8 "
            "bytes after a total of 9 bytes\n", "out of memory: limit 8 GiB"},
        {0, "/usr/bin/ld: final link failed: memory exhausted", "out of memory"},
        {0, "terminate called after throwing an instance of 'std::bad_alloc'",
            "out of memory"},
        {0, "gcc: fatal error: CPU time limit exceeded signal terminated "
            "program cc1", "out of time: limit 3600 s"},
        {SIGXCPU, "", "out of time"},
        {0, "gcc: fatal error: File size limit exceeded signal terminated "
            "program as", "too large a file: limit 1 GiB"},
        {SIGXFSZ, "", "too large a file"},
        {SIGKILL, "", NULL},
        {0, "a.c:1:1: error: unknown type\n    1 | // cc1: out of memory "
            "allocating 1\n", NULL},
        {0, "", NULL},
        /* clang-format on */
    };

    (void)state;
    setenv(VARIABLE, "8G", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char output[512];

        snprintf(output, sizeof(output), "%s", rows[i].output);
        assert_int_equal(
            osw_compiler_limits_say(rows[i].signal, output, sizeof(output)),
            rows[i].want != NULL);
        if (rows[i].want)
            assert_non_null(strstr(output, rows[i].want));
        else
            assert_string_equal(output, rows[i].output);
    }
    unsetenv(VARIABLE);
}

static void a_compiler_that_was_killed_is_known(void **state)
{
    static const struct {
        int signal;
        const char *output;
        bool killed;
    } rows[] = {
        {SIGKILL, "", true},
        {SIGSEGV, "", false},
        {SIGXCPU, "", false},
        {0, "gcc: fatal error: Killed signal terminated program cc1\n", true},
        {0, "clang: error: unable to execute command: Killed\n", true},
        {0, "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n", true},
        {0, "a.c:1:1: error: unknown type\n", false},
        {0, "", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(
            osw_compiler_was_killed(rows[i].signal, rows[i].output),
            rows[i].killed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_half_of_the_nodes_between_two_and_eight_gib),
        cmocka_unit_test(the_variable_says_how_much),
        cmocka_unit_test(limits_are_set_and_lower_ones_stay),
        cmocka_unit_test(what_a_compiler_says_at_a_limit_is_known),
        cmocka_unit_test(a_compiler_that_was_killed_is_known),
    };

    return cmocka_run_group_tests_name("build/compiler_limits", tests, NULL,
                                       NULL);
}

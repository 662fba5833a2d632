/* tests/unit/common/test_death.c - how processes end, as others see it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/death.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void only_a_kill_with_nothing_wrong_is_external(void **state)
{
    static const struct {
        struct osw_death death;
        bool want;
    } rows[] = {
        {{.signal = SIGKILL}, true},
        {{.signal = SIGTERM}, true},
        {{.signal = SIGSEGV}, false},
        {{.signal = SIGABRT}, false},
        {{.status = 0}, false},
        {{.status = 9}, false},
        {{.signal = SIGKILL, .n_oom = 1}, false},
        {{.signal = SIGKILL, .n_over = 1}, false},
        {{.signal = SIGKILL, .n_crashed = 1}, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_death d = rows[i].death;

        assert_false(osw_death_is_known(&d));
        assert_false(osw_death_is_external(&d));
        osw_death_seal(&d);
        assert_true(osw_death_is_known(&d));
        assert_int_equal(osw_death_is_external(&d), rows[i].want);
        d.n_oom++;
        assert_false(osw_death_is_known(&d));
    }
}

/* A line of /proc/PID/stat with this name, state and code. */
static const char *line(const char *name, char state, const char *code)
{
    static char text[600];

    strcpy(text, "7 (");
    strcat(strcat(text, name), ") ");
    strncat(text, &state, 1);
    for (int i = 4; i < 52; i++)
        strcat(text, " 5");
    strcat(strcat(text, " "), code);
    return text;
}

static void the_last_field_tells_the_end(void **state)
{
    int code = -1;

    (void)state;
    assert_true(osw_death_parse_stat(line("op", 'Z', "9"), &code));
    assert_int_equal(code, 9);
    assert_true(osw_death_parse_stat(line(") Z (", 'X', "256"), &code));
    assert_int_equal(code, 256);
    assert_true(osw_death_parse_stat(line("op", 'R', "139"), &code));
    assert_int_equal(code, 139);
    assert_true(osw_death_parse_stat(line("op", 'Z', "0"), &code));
    assert_int_equal(code, 0);
    code = 77;
    assert_false(osw_death_parse_stat(line("op", 'S', "0"), &code));
    assert_false(osw_death_parse_stat(line("op", 'T', "19"), &code));
    assert_false(osw_death_parse_stat("7 (op) Z 1 2 3", &code));
    assert_false(osw_death_parse_stat("7 (op)", &code));
    assert_false(osw_death_parse_stat("", &code));
    assert_int_equal(code, 77);
}

static void the_end_of_a_child_is_seen(void **state)
{
    (void)state;
    for (int kill_it = 0; kill_it < 2; kill_it++) {
        pid_t pid = fork();
        struct osw_death_watch w;
        siginfo_t info;
        int code = -1;

        if (pid == 0)
            for (;;)
                pause();
        w = osw_death_watch_open(pid);
        assert_false(osw_death_watch_ended(&w, &code));
        assert_true(osw_death_resident(pid) > 0);
        kill(pid, kill_it ? SIGKILL : SIGUSR1);
        assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
        assert_true(osw_death_watch_ended(&w, &code));
        assert_true(WIFSIGNALED(code));
        assert_int_equal(WTERMSIG(code), kill_it ? SIGKILL : SIGUSR1);
        assert_int_equal(osw_death_resident(pid), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        code = -1; /* newer kernels still tell it; others say nothing */
        if (osw_death_watch_ended(&w, &code))
            assert_int_equal(WTERMSIG(code), kill_it ? SIGKILL : SIGUSR1);
        else
            assert_int_equal(code, -1);
        osw_death_watch_close(&w);
        assert_int_equal(w.fd, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_kill_with_nothing_wrong_is_external),
        cmocka_unit_test(the_last_field_tells_the_end),
        cmocka_unit_test(the_end_of_a_child_is_seen),
    };

    return cmocka_run_group_tests_name("common/death", tests, NULL, NULL);
}

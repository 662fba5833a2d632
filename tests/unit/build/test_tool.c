/* tests/unit/build/test_tool.c - programs with a deadline, and their output */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "ops/build/tool.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define MS        INT64_C(1000000)

struct output {
    char text[64];
    size_t used;
};

static void keep(void *arg, const char *bytes, size_t n)
{
    struct output *out = arg;
    size_t room = sizeof(out->text) - 1 - out->used;

    if (n > room)
        n = room;
    memcpy(out->text + out->used, bytes, n);
    out->used += n;
}

static int run(const char *script, bool split, int64_t deadline_ms,
               struct output *out, struct osw_tool_end *end,
               struct osw_error *err)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct osw_tool tool = {
        .argv = argv,
        .tmp_dir = "/somewhere",
        .split = split,
        .deadline_ns = deadline_ms * MS,
        .sink = keep,
        .sink_arg = out,
    };

    memset(out, 0, sizeof(*out));
    return osw_tool_run(&tool, end, err);
}

static void ends_match_the_table(void **state)
{
    static const struct {
        const char *script;
        bool split;
        int64_t deadline_ms;
        int exit_code, signal;
        bool late;
        const char *output;
    } rows[] = {
        /* clang-format off */
        { "printf hello",                 false, 20000,  0, 0,       false, "hello" },
        { "printf a; printf b >&2",       false, 20000,  0, 0,       false, "ab" },
        { "printf a; printf b >&2",       true,  20000,  0, 0,       false, "a" },
        { "exit 3",                       false, 20000,  3, 0,       false, "" },
        { "kill -SEGV $$",                false, 20000, -1, SIGSEGV, false, "" },
        { "cat",                          false, 20000,  0, 0,       false, "" },
        { "printf \"$LC_ALL $TMPDIR\"",   false, 20000,  0, 0,       false, "C /somewhere" },
        { "printf x; sleep 60",           false,   200, -1, SIGKILL, true,  "x" },
        { "exec >&- 2>&-; sleep 60",      false,   200, -1, SIGKILL, true,  "" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_tool_end end;
        struct output out;

        print_message("  %s\n", rows[i].script);
        assert_int_equal(run(rows[i].script, rows[i].split, rows[i].deadline_ms,
                             &out, &end, &err),
                         0);
        assert_int_equal(end.exit_code, rows[i].exit_code);
        assert_int_equal(end.signal, rows[i].signal);
        assert_int_equal(end.late, rows[i].late);
        assert_string_equal(out.text, rows[i].output);
    }
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    const char *const argv[] = {"no-such-compiler", NULL};
    const struct osw_tool tool = {.argv = argv, .deadline_ns = 20000 * MS};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_tool_end end;

    (void)state;
    assert_int_equal(osw_tool_run(&tool, &end, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "cannot start 'no-such-compiler'"));
}

/* The grandchild would make a file if it outlived its group. */
static void grandchildren_die_with_their_group(void **state)
{
    char dir[] = "/tmp/test_tool.XXXXXX", script[256], path[64];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_tool_end end;
    struct output out;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/alive", dir);
    snprintf(script, sizeof(script),
             "(exec >&- 2>&-; sleep 0.3; : > %s) & exit 0", path);
    assert_int_equal(run(script, false, 20000, &out, &end, &err), 0);
    osw_clock_sleep_ns(600 * MS);
    assert_int_equal(access(path, F_OK), -1);
    rmdir(dir);
}

static void count_tick(void *arg)
{
    ++*(int *)arg;
}

static void somebody_is_told_that_time_passes(void **state)
{
    const char *const argv[] = {"sleep", "0.3", NULL};
    int ticks = 0;
    const struct osw_tool tool = {
        .argv = argv,
        .deadline_ns = 20000 * MS,
        .tick = count_tick,
        .tick_arg = &ticks,
    };
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_tool_end end;

    (void)state;
    assert_int_equal(osw_tool_run(&tool, &end, &err), 0);
    assert_true(ticks >= 2);
}

/* Each waits for the other's file, so neither ends unless both run. */
static void several_run_at_once(void **state)
{
    char dir[] = "/tmp/test_tool.XXXXXX", scripts[2][256];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_tool_process processes[2];
    struct osw_tool tools[2];
    const char *argv[2][4];
    struct osw_tool_end end;
    struct output out[2];
    int left = 2;

    (void)state;
    memset(out, 0, sizeof(out));
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 2; i++) {
        snprintf(scripts[i], sizeof(scripts[i]),
                 "cd %s; : > %d; until [ -e %d ]; do sleep 0.01; done; "
                 "printf %d",
                 dir, i, 1 - i, i);
        argv[i][0] = "sh", argv[i][1] = "-c";
        argv[i][2] = scripts[i], argv[i][3] = NULL;
        tools[i] = (struct osw_tool){.argv = argv[i],
                                     .deadline_ns = 20000 * MS,
                                     .sink = keep,
                                     .sink_arg = &out[i]};
        assert_int_equal(osw_tool_start(&tools[i], &processes[i], &err), 0);
    }
    for (bool gone[2] = {false, false}; left > 0; osw_clock_sleep_ns(MS))
        for (int i = 0; i < 2; i++) {
            int rc = gone[i] ? 0 : osw_tool_poll(&processes[i], &end, &err);

            assert_true(rc >= 0);
            gone[i] = gone[i] || rc == 1;
            left -= rc;
            if (rc == 1)
                assert_int_equal(end.exit_code, 0);
        }
    assert_string_equal(out[0].text, "0");
    assert_string_equal(out[1].text, "1");
    for (int i = 0; i < 2; i++) {
        char path[64];

        snprintf(path, sizeof(path), "%s/%d", dir, i);
        unlink(path);
    }
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_match_the_table),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(grandchildren_die_with_their_group),
        cmocka_unit_test(somebody_is_told_that_time_passes),
        cmocka_unit_test(several_run_at_once),
    };

    return cmocka_run_group_tests_name("ops/tool", tests, NULL, NULL);
}

/* tests/unit/build/test_build_several.c - several builds at a time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/build/build_fixture.h"

enum { SEVERAL = 5 };

struct several {
    char sources[SEVERAL][96];
    struct osw_build_request requests[SEVERAL];
    struct osw_build_result results[SEVERAL];
};

static struct several *make_several(struct fixture *f)
{
    static struct several s;
    char text[64];

    memset(&s, 0, sizeof(s));
    for (int i = 0; i < SEVERAL; i++) {
        snprintf(s.sources[i], sizeof(s.sources[i]), "%s/op_%d.c", f->dir, i);
        snprintf(text, sizeof(text), "int answer(void) { return %d; }\n", i);
        put(s.sources[i], text);
        s.requests[i] = f->request;
        s.requests[i].source = s.sources[i];
    }
    return &s;
}

static void get_several(struct fixture *f, struct several *s, uint32_t jobs)
{
    if (osw_build_get_all(s->requests, s->results, SEVERAL, jobs, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

/* The most compilers that ran at a time, by their lines of a log. */
static int most_at_a_time(const struct fixture *f)
{
    int now = 0, most = 0, c;
    char path[96];
    FILE *log;

    snprintf(path, sizeof(path), "%s/turns", f->dir);
    log = fopen(path, "r");
    assert_non_null(log);
    while ((c = fgetc(log)) != EOF) {
        now += c == '+' ? 1 : -1;
        most = now > most ? now : most;
    }
    fclose(log);
    assert_int_equal(now, 0);
    return most;
}

/* The first waits until another has started: it hangs if none may. */
static void several_are_built_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC",
                 "cd \"${0%/*}\"; printf + >> turns; n=0\n"
                 "until grep -q '+.*+' turns || [ $n = 500 ]; do\n"
                 "sleep 0.02; n=$((n + 1)); done\n"
                 "cc \"$@\"; rc=$?; printf -- - >> turns; exit $rc");
    get_several(f, s, 2);
    for (int i = 0; i < SEVERAL; i++) {
        assert_false(s->results[i].failed);
        assert_false(s->results[i].cached);
        assert_true(s->results[i].duration_ns > 0);
        assert_int_equal(answer_of(s->results[i].path), i);
    }
    assert_int_equal(most_at_a_time(f), 2);
    get_several(f, s, 2);
    for (int i = 0; i < SEVERAL; i++)
        assert_true(s->results[i].cached);
    assert_int_equal(count_compiles(f), SEVERAL);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

static void one_at_a_time_is_one_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC",
                 "cd \"${0%/*}\"; printf + >> turns; cc \"$@\"; rc=$?\n"
                 "printf -- - >> turns; exit $rc");
    get_several(f, s, 0);
    assert_int_equal(most_at_a_time(f), 1);
}

/* Bad ones in the middle, and one twice. */
static void each_has_its_own_end(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    put(s->sources[1], "int answer(void) { return ANSWR; }\n");
    s->requests[2].source = "/nowhere/op_2.c";
    s->requests[3].source = s->sources[0];
    get_several(f, s, 3);
    assert_int_equal(answer_of(s->results[0].path), 0);
    assert_true(s->results[1].failed);
    assert_non_null(strstr(s->results[1].output, "ANSWR"));
    assert_true(s->results[2].failed);
    assert_non_null(strstr(s->results[2].output, "/nowhere/op_2.c"));
    assert_true(s->results[3].cached);
    assert_string_equal(s->results[3].path, s->results[0].path);
    assert_int_equal(answer_of(s->results[4].path), 4);
    assert_int_equal(osw_build_get_all(NULL, NULL, 0, 1, &f->err), 0);
}

/* Ranks with the same list: nothing is compiled twice, and all get all. */
static void ranks_share_the_work(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC", "sleep 0.1; exec cc \"$@\"");
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        int bad = 0;

        assert_true(pid >= 0);
        if (pid > 0)
            continue;
        bad = osw_build_get_all(s->requests, s->results, SEVERAL, 1, NULL) < 0;
        for (int k = 0; k < SEVERAL; k++)
            bad |= s->results[k].failed || !s->results[k].path[0];
        _exit(bad);
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_compiles(f), SEVERAL);
    assert_int_equal(count_files(f->cache, ".so"), SEVERAL);
}

static void count_tick(void *arg)
{
    ++*(int *)arg;
}

static void somebody_is_told_that_time_passes(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);
    int ticks = 0;

    use_compiler(f, "CC", "sleep 0.3; exec cc \"$@\"");
    s->requests[0].tick = count_tick;
    s->requests[0].tick_arg = &ticks;
    get_several(f, s, SEVERAL);
    assert_true(ticks >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(several_are_built_at_a_time),
        T(one_at_a_time_is_one_at_a_time),
        T(each_has_its_own_end),
        T(ranks_share_the_work),
        T(somebody_is_told_that_time_passes),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build_several", tests, NULL, NULL);
}

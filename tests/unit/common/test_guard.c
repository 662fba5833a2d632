/* tests/unit/common/test_guard.c - work in a process that may die */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/guard.h"

#define GIB (UINT64_C(1) << 30)

static char folder[] = "/tmp/test-guard.XXXXXX";
static char some_file[64]; /* 1 MiB */

static int set_up(void **state)
{
    static char mib[1 << 20];
    FILE *f;

    (void)state;
    unsetenv("OPSWEEP_GUARD");
    memset(mib, 1, sizeof(mib));
    if (!mkdtemp(folder))
        return -1;
    snprintf(some_file, sizeof(some_file), "%s/some.h5", folder);
    f = fopen(some_file, "we");
    return f && fwrite(mib, sizeof(mib), 1, f) == 1 ? fclose(f) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(some_file) | rmdir(folder);
}

/* What a child does: in this order, where it is asked to. */
struct deed {
    bool opens, fails, asks_limits, loops, allocates, nests;
    int sig;     /* it dies of this one */
    int exits;   /* it ends by itself */
    int returns; /* else */
    const char *unfinished;
    int writes_to;         /* descriptor, > 0: its pid */
    struct rlimit *limits; /* shared memory: data, processor time */
};

static int nested(void *arg, struct osw_error *err)
{
    (void)err;
    return *(pid_t *)arg == getpid() ? 0 : 9;
}

static uint64_t take_memory(void)
{
    uint64_t taken = 0;

    while (taken < 64 * GIB && mmap(NULL, GIB / 16, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                    -1, 0) != MAP_FAILED)
        taken += GIB / 16;
    return taken;
}

static int act(void *arg, struct osw_error *err)
{
    const struct deed *d = arg;
    pid_t pid = getpid();

    if (d->opens) {
        osw_guard_open(some_file);
        osw_guard_read("late.h5");
    }
    if (d->unfinished) {
        osw_guard_unfinished(d->unfinished);
        fclose(fopen(d->unfinished, "we"));
    }
    if (d->limits) {
        getrlimit(RLIMIT_DATA, &d->limits[0]);
        getrlimit(RLIMIT_CPU, &d->limits[1]);
        osw_guard_ceilings(false);
        getrlimit(RLIMIT_CPU, &d->limits[2]);
        osw_guard_ceilings(true);
    }
    if (d->writes_to && write(d->writes_to, &pid, sizeof(pid)) < 0)
        return 8;
    if (d->loops)
        alarm(30); /* whatever else fails */
    for (volatile int i = 0; d->loops; i = i & 1)
        ;
    if (d->allocates)
        return (int)(take_memory() / (GIB / 16));
    if (d->nests)
        return osw_guard_call(nested, &pid, err);
    if (d->sig) {
        signal(d->sig, SIG_DFL); /* cmocka catches some */
        raise(d->sig);
    }
    if (d->exits)
        _exit(d->exits);
    return d->fails ? osw_fail(err, OSW_NOTHING, "no '%s' there", "x")
                    : d->returns;
}

static int do_it(struct deed d, struct osw_error *err)
{
    *err = (struct osw_error)OSW_ERROR_INIT;
    return osw_guard_call(act, &d, err);
}

static void what_it_returns_comes_back(void **state)
{
    struct osw_error err;

    (void)state;
    assert_int_equal(do_it((struct deed){.returns = 4}, &err), 4);
    assert_int_equal(err.status, OSW_OK);
    assert_int_equal(do_it((struct deed){.fails = true}, &err), -1);
    assert_int_equal(err.status, OSW_NOTHING);
    assert_string_equal(err.text, "no 'x' there");
    assert_int_equal(do_it((struct deed){.nests = true}, &err), 0);
}

static void a_crash_names_the_file_read_last(void **state)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct osw_error err;

    (void)state;
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
        assert_int_equal(
            do_it((struct deed){.opens = true, .sig = crashes[i]}, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, "'late.h5' is damaged or forged"));
        assert_non_null(strstr(err.text, strsignal(crashes[i])));
        assert_non_null(strstr(err.text, "is incomplete"));
    }
    /* As sanitizers end a process. */
    assert_int_equal(do_it((struct deed){.opens = true, .exits = 1}, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "'late.h5' is damaged or forged"));
    assert_non_null(strstr(err.text, "exit status 1"));
}

static void a_crash_over_no_file_and_a_kill_are_told_as_such(void **state)
{
    struct osw_error err;

    (void)state;
    assert_int_equal(do_it((struct deed){.sig = SIGSEGV}, &err), -1);
    assert_int_equal(err.status, OSW_CHILD);
    assert_null(strstr(err.text, "forged"));
    assert_int_equal(do_it((struct deed){.opens = true, .sig = SIGKILL}, &err),
                     -1);
    assert_int_equal(err.status, OSW_CHILD);
    assert_non_null(strstr(err.text, "reading 'late.h5' was killed"));
}

static void what_was_not_finished_is_removed(void **state)
{
    struct osw_error err;
    char path[80];

    (void)state;
    snprintf(path, sizeof(path), "%s/out.tmp.1", folder);
    assert_int_equal(
        do_it((struct deed){.unfinished = path, .sig = SIGSEGV}, &err), -1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(do_it((struct deed){.unfinished = path}, &err), 0);
    assert_int_equal(access(path, F_OK), 0); /* its own affair */
    unlink(path);
}

/* In a process of our own that makes the call; its pid. */
static pid_t elsewhere(struct deed d)
{
    pid_t pid = fork();

    if (pid == 0) {
        struct osw_error err;
        int rc = do_it(d, &err);

        _exit(rc < 0 ? 100 + (int)err.status : rc);
    }
    return pid;
}

static void signals_by_intent_end_the_caller_likewise(void **state)
{
    static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1};
    int status;

    (void)state;
    for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
        elsewhere((struct deed){.opens = true, .sig = sigs[i]});
        wait(&status);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), sigs[i]);
    }
}

/* The child of a caller that is sent `sig` ends, too. */
static void both_end_by(int sig)
{
    int fds[2], status;
    pid_t caller, inner;
    char end;

    assert_int_equal(pipe(fds), 0);
    caller = elsewhere((struct deed){.loops = true, .writes_to = fds[1]});
    close(fds[1]);
    assert_int_equal(read(fds[0], &inner, sizeof(inner)), sizeof(inner));
    assert_int_not_equal(inner, caller);
    kill(caller, sig);
    waitpid(caller, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), sig);
    assert_int_equal(read(fds[0], &end, 1), 0); /* no process holds it */
    close(fds[0]);
}

static void a_signal_to_the_caller_ends_both(void **state)
{
    (void)state;
    both_end_by(SIGTERM);
    both_end_by(SIGINT);
    both_end_by(SIGKILL);
}

static void there_are_ceilings_that_other_programs_do_not_have(void **state)
{
    struct rlimit *l = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rlimit before;
    struct osw_error err;

    (void)state;
    getrlimit(RLIMIT_CPU, &before);
    assert_int_equal(do_it((struct deed){.opens = true, .limits = l}, &err), 0);
    assert_in_range(l[0].rlim_cur, 1, UINT64_C(1) << 62);
    assert_int_equal(l[1].rlim_cur, 70); /* 60 s, and 10 s for 1 MiB */
    assert_int_equal(l[2].rlim_cur, before.rlim_cur);
    munmap(l, 4096);
}

static void memory_and_time_have_an_end(void **state)
{
    const struct rlimit second = {1, 60};
    struct osw_error err;
    int status, got;

    (void)state;
    /* Sixteenths of a GiB; 64 MiB for the file. */
    got = do_it((struct deed){.opens = true, .allocates = true}, &err);
    assert_in_range(got, 1, 4 * 16 + 1);
    if (fork() == 0) {
        setrlimit(RLIMIT_CPU, &second);
        got = do_it((struct deed){.opens = true, .loops = true}, &err);
        _exit(err.status == OSW_BAD_INPUT && strstr(err.text, "'late.h5'") &&
                      strstr(err.text, "processor time")
                  ? 0
                  : 1);
    }
    wait(&status);
    assert_int_equal(status, 0);
}

static int print(void *arg, struct osw_error *err)
{
    (void)arg;
    (void)err;
    printf("b");
    return 0;
}

static void what_was_printed_is_printed_once(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    int fds[2], out = dup(1);
    char got[8] = "";

    (void)state;
    fflush(stdout);
    assert_int_equal(pipe(fds), 0);
    dup2(fds[1], 1);
    printf("a");
    assert_int_equal(osw_guard_call(print, NULL, &err), 0);
    printf("c");
    fflush(stdout);
    dup2(out, 1);
    close(out);
    assert_int_equal(read(fds[0], got, sizeof(got)), 3);
    assert_string_equal(got, "abc");
    close(fds[0]);
    close(fds[1]);
}

static void it_can_be_switched_off(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    pid_t pid = getpid();

    (void)state;
    assert_int_equal(osw_guard_call(nested, &pid, &err), 9);
    setenv("OPSWEEP_GUARD", "off", 1);
    assert_int_equal(osw_guard_call(nested, &pid, &err), 0);
    setenv("OPSWEEP_GUARD", "maybe", 1);
    assert_int_equal(osw_guard_call(nested, &pid, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "OPSWEEP_GUARD 'maybe'"));
    unsetenv("OPSWEEP_GUARD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_returns_comes_back),
        cmocka_unit_test(a_crash_names_the_file_read_last),
        cmocka_unit_test(a_crash_over_no_file_and_a_kill_are_told_as_such),
        cmocka_unit_test(what_was_not_finished_is_removed),
        cmocka_unit_test(signals_by_intent_end_the_caller_likewise),
        cmocka_unit_test(a_signal_to_the_caller_ends_both),
        cmocka_unit_test(there_are_ceilings_that_other_programs_do_not_have),
        cmocka_unit_test(memory_and_time_have_an_end),
        cmocka_unit_test(what_was_printed_is_printed_once),
        cmocka_unit_test(it_can_be_switched_off),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* tests/unit/results/test_lock.c - one writer, and what the dead leave */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "results/journal/lock.h"
#include "tests/unit/results/fixture.h"

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

static void write_lock(const struct folder *f, const char *text)
{
    char path[300];
    FILE *file;

    snprintf(path, sizeof(path), "%s/lock", f->dir);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_refused(const struct folder *f, const char *why)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static void a_lock_is_held_until_released(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char me[64];

    snprintf(me, sizeof(me), "held by process %ld on host", (long)getpid());
    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
    expect_refused(f, me);
    osw_lock_release(f->dir);
    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
}

static void the_lock_of_a_dead_process_is_taken_over(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(osw_lock_take(f->dir, "u", 0, NULL) ? 1 : 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
    expect_refused(f, "held by process");
}

/* Killed, and its parent does not look: /proc has it all the same. */
static void the_lock_of_a_zombie_is_taken_over(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0)
        _exit(osw_lock_take(f->dir, "u", 0, NULL) ? 1 : 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A process that holds the lock, and memory that takes a while to give back. */
static pid_t start_holder(const struct folder *f)
{
    enum { BYTES = 128 << 20 };
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        int fd = memfd_create("memory", MFD_CLOEXEC);

        if (fd < 0 || posix_fallocate(fd, 0, BYTES) != 0 ||
            osw_lock_take(f->dir, "u", 0, NULL) < 0 ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void the_lock_of_a_process_that_is_ending_is_taken_over(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char who[300];
    pid_t pid = start_holder(f);

    expect_refused(f, "held by process");
    assert_int_equal(osw_lock_look(f->dir, who, sizeof(who)), OSW_LOCK_HERE);
    assert_int_equal(kill(pid, SIGKILL), 0);
    if (osw_lock_take(f->dir, "u", 0, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    osw_lock_release(f->dir);
    pid = start_holder(f);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(osw_lock_look(f->dir, who, sizeof(who)), OSW_LOCK_FREE);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Our own process, but started at another time: the number was reused. */
static void a_reused_process_number_is_no_holder(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char host[256], line[400];

    gethostname(host, sizeof(host));
    snprintf(line, sizeof(line), "%s %ld 1 u\n", host, (long)getpid());
    write_lock(f, line);
    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
}

static void the_lock_of_another_host_stays(void **state)
{
    write_lock(*state, "elsewhere.example 1 1 u\n");
    expect_refused(*state, "held by process 1 on host elsewhere.example");
}

/* Of a host that cannot be asked: only a lock without heartbeats is taken. */
static void the_lock_of_a_silent_host_is_taken_over(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char holder[300];

    write_lock(f, "elsewhere.example 1 1 u\n");
    assert_int_equal(osw_lock_look(f->dir, holder, sizeof(holder)),
                     OSW_LOCK_ELSEWHERE);
    assert_string_equal(holder, "process 1 on host elsewhere.example");
    assert_int_equal(osw_lock_take(f->dir, "u", 300000000, &err), 0);
    assert_int_equal(osw_lock_heartbeat(f->dir, &err), 0);
    assert_int_equal(osw_lock_look(f->dir, holder, sizeof(holder)),
                     OSW_LOCK_HERE);
    expect_refused(f, "held by process");
}

static void the_lock_of_a_host_that_beats_stays(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char path[300];
    pid_t pid;

    write_lock(f, "elsewhere.example 1 1 u\n");
    snprintf(path, sizeof(path), "%s/lock", f->dir);
    pid = fork();
    for (int i = 0; pid == 0; i++) {
        usleep(100000);
        if (i == 20 || utimensat(AT_FDCWD, path, NULL, 0))
            _exit(0);
    }
    assert_int_equal(osw_lock_take(f->dir, "u", 1000000000, &err), -1);
    assert_non_null(strstr(err.text, "on host elsewhere.example"));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* For longer than it would watch; the holder's heartbeats go on after that. */
static void a_stopped_process_watches_on(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char path[300];
    int status;
    pid_t pid;

    write_lock(f, "elsewhere.example 1 1 u\n");
    snprintf(path, sizeof(path), "%s/lock", f->dir);
    pid = fork();
    if (pid == 0)
        _exit(osw_lock_take(f->dir, "u", 3000000000, &err) == 0);
    usleep(300000);
    kill(pid, SIGSTOP);
    sleep(3);
    kill(pid, SIGCONT);
    usleep(200000);
    (void)utimensat(AT_FDCWD, path, NULL, 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0); /* it took nothing over */
}

static void a_holder_that_was_away_learns_that_it_holds_no_more(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char path[300];

    assert_int_equal(osw_lock_take(f->dir, "u", 0, &err), 0);
    write_lock(f, "elsewhere.example 7 1 u\n");
    assert_int_equal(osw_lock_heartbeat(f->dir, &err), -1);
    assert_non_null(strstr(err.text, "taken over by process 7 on host else"));
    osw_lock_release(f->dir); /* not ours: stays */
    expect_refused(f, "held by process 7");
    snprintf(path, sizeof(path), "%s/lock", f->dir);
    unlink(path);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_lock_heartbeat(f->dir, &err), -1);
    assert_non_null(strstr(err.text, "is gone"));
}

/* Without space for the line there is no lock, instead of one without owner. */
static void a_lock_that_cannot_be_written_is_not_there(void **state)
{
    struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct rlimit old, none;
    char path[300];
    int rc;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none = (struct rlimit){0, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    rc = osw_lock_take(f->dir, "u", 0, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(rc, -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    snprintf(path, sizeof(path), "%s/lock", f->dir);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(f->dir), 0); /* nothing else was left */
    assert_int_equal(mkdir(f->dir, 0777), 0);
}

static void a_lock_that_says_nothing_stays(void **state)
{
    static const char *const texts[] = {"", "host", "host x y\n"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_lock(*state, texts[i]);
        expect_refused(*state, "does not say who holds it");
    }
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_lock_take("/nowhere/at/all", "u", 0, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "/nowhere/at/all/lock"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_lock_is_held_until_released),
        T(the_lock_of_a_dead_process_is_taken_over),
        T(the_lock_of_a_zombie_is_taken_over),
        T(the_lock_of_a_process_that_is_ending_is_taken_over),
        T(a_reused_process_number_is_no_holder),
        T(the_lock_of_another_host_stays),
        T(the_lock_of_a_silent_host_is_taken_over),
        T(the_lock_of_a_host_that_beats_stays),
        T(a_stopped_process_watches_on),
        T(a_holder_that_was_away_learns_that_it_holds_no_more),
        T(a_lock_that_cannot_be_written_is_not_there),
        T(a_lock_that_says_nothing_stays),
        T(a_folder_that_is_not_there_is_an_error),
    };
#undef T

    return cmocka_run_group_tests_name("results/lock", tests, NULL, NULL);
}

/* tests/unit/common/test_reaper.c - groups end with their process */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/death.h"
#include "common/reaper.h"

/* A process in a group of its own, with a child in it. */
static pid_t make_group(void)
{
    int ready[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (fork() == 0)
            (void)!write(ready[1], "x", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* Was its leader killed? */
static bool is_gone(pid_t group)
{
    int status;

    return waitpid(group, &status, WNOHANG) == group && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

static void end(pid_t group)
{
    kill(-group, SIGKILL);
    waitpid(group, NULL, 0);
}

static void tell(int fd, int32_t what)
{
    assert_int_equal(send(fd, &what, sizeof(what), 0), sizeof(what));
}

static char removed[256]; /* paths, each followed by a space */

static void note_removed(const char *path)
{
    strcat(strcat(removed, path), " ");
}

static void say(int fd, const char *what)
{
    assert_int_equal(send(fd, what, strlen(what), 0), strlen(what));
}

/* Named, taken back, taken back that never was, and no path. */
static void folders_that_were_named_and_not_taken_back_are_removed(void **state)
{
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    say(fds[0], "+/tmp/a");
    say(fds[0], "+/tmp/b");
    say(fds[0], "-/tmp/a");
    say(fds[0], "-/tmp/c");
    say(fds[0], "+tmp/d");
    say(fds[0], "+/tmp/e");
    close(fds[0]);
    osw_reaper_serve(fds[1], note_removed);
    close(fds[1]);
    assert_null(strstr(removed, "/tmp/a"));
    assert_non_null(strstr(removed, "/tmp/b "));
    assert_null(strstr(removed, "tmp/d"));
    assert_non_null(strstr(removed, "/tmp/e "));
}

/* Named, named twice, taken back, taken back that never was, and garbage. */
static void what_was_named_and_not_taken_back_is_killed(void **state)
{
    pid_t a = make_group(), b = make_group(), c = make_group();
    int fds[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    tell(fds[0], a);
    tell(fds[0], b);
    tell(fds[0], a);
    tell(fds[0], -b);
    tell(fds[0], -c);
    tell(fds[0], 1);
    tell(fds[0], 0);
    tell(fds[0], -1);
    assert_int_equal(send(fds[0], "xy", 2, 0), 2);
    close(fds[0]);
    osw_reaper_serve(fds[1], note_removed);
    close(fds[1]);
    assert_true(is_gone(a));
    assert_false(is_gone(b));
    assert_false(is_gone(c));
    end(b);
    end(c);
}

/* --- what it says of a process that ended --- */

/* How the process beside the reaper ends, and what else happens. */
enum ending { STOPS_IT, IS_KILLED, IS_KILLED_UNNAMED, CRASHES, EXITS, SANDBOX };

/* A group whose leader has crashed and was not reaped. */
static pid_t make_crashed(void)
{
    pid_t pid = fork();
    siginfo_t info;

    if (pid == 0) {
        setpgid(0, 0);
        signal(SIGBUS, SIG_DFL); /* cmocka handles it */
        kill(getpid(), SIGBUS);
    }
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    return pid;
}

/* Its only child.  The kernel may leave one out of the list while another
 * process ends.
 */
static pid_t child_of(pid_t pid)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    for (int i = 0; i < 200 && child == 0; i++) {
        FILE *f = fopen(path, "r");

        assert_non_null(f);
        if (fscanf(f, "%d", &child) != 1)
            usleep(10000);
        fclose(f);
    }
    assert_true(child > 0);
    return child;
}

/* Does it run as a reaper, and sleep until the next message? */
static bool is_serving(pid_t pid)
{
    char text[1024], state = 0;
    size_t n;
    FILE *f;

    snprintf(text, sizeof(text), "/proc/%d/cmdline", pid);
    f = fopen(text, "r");
    n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    if (f)
        fclose(f);
    if (!memmem(text, n, OSW_REAPER_WORD, strlen(OSW_REAPER_WORD)))
        return false;
    snprintf(text, sizeof(text), "/proc/%d/stat", pid);
    f = fopen(text, "r");
    if (f && fscanf(f, "%*d %*s %c", &state) != 1)
        state = 0;
    if (f)
        fclose(f);
    return state == 'S';
}

/* For 10 s at most, until it is so at several looks in a row. */
static void await_serving(pid_t pid)
{
    for (int i = 0, n = 0; i < 1000 && n < 5; i++) {
        n = is_serving(pid) ? n + 1 : 0;
        usleep(10000);
    }
}

/* The process that is watched: says which its reaper is when that knows all,
 * then ends.
 */
static void be_watched(enum ending ending, int fd, pid_t crashed, int ready)
{
    pid_t reaper;

    osw_reaper_start("/proc/self/exe"); /* see main() */
    if (crashed)
        osw_reaper_add(crashed);
    osw_reaper_set_ceiling(1u << 20);
    osw_reaper_report(-1, 8);
    if (ending != IS_KILLED_UNNAMED)
        osw_reaper_report(fd, 8);
    reaper = child_of(getpid());
    (void)!write(ready, &reaper, sizeof(reaper));
    await_serving(reaper); /* it has found its parent, then */
    if (ending == STOPS_IT)
        osw_reaper_stop();
    if (ending == EXITS)
        _exit(4);
    signal(SIGSEGV, SIG_DFL);
    kill(getpid(), ending == CRASHES ? SIGSEGV : SIGKILL);
}

/* What the reaper of a process wrote that ended so. */
static struct osw_death death_after(enum ending ending)
{
    struct osw_death death = {0};
    FILE *file = tmpfile();
    pid_t pid, reaper, crashed = ending == SANDBOX ? make_crashed() : 0;
    siginfo_t info;
    int ready[2];

    assert_non_null(file);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0)
        be_watched(ending, fileno(file), crashed, ready[1]);
    assert_int_equal(read(ready[0], &reaper, sizeof(reaper)), sizeof(reaper));
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    if (ending != STOPS_IT) /* ours since its parent has ended */
        assert_int_equal(waitpid(reaper, NULL, 0), reaper);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void)!pread(fileno(file), &death, sizeof(death), 8);
    fclose(file);
    close(ready[0]);
    close(ready[1]);
    if (crashed)
        waitpid(crashed, NULL, 0);
    return death;
}

static void it_says_how_the_process_ended(void **state)
{
    static const struct {
        enum ending ending;
        bool is_known;
        int signal, status;
        uint32_t n_crashed;
        bool is_external;
    } rows[] = {
        {STOPS_IT, false, 0, 0, 0, false},
        {IS_KILLED, true, SIGKILL, 0, 0, true},
        {IS_KILLED_UNNAMED, false, 0, 0, 0, false},
        {CRASHES, true, SIGSEGV, 0, 0, false},
        {EXITS, true, 0, 4, 0, false},
        {SANDBOX, true, SIGKILL, 0, 1, false},
    };

    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_death d = death_after(rows[i].ending);

        assert_int_equal(osw_death_is_known(&d), rows[i].is_known);
        assert_int_equal(d.signal, rows[i].signal);
        assert_int_equal(d.status, rows[i].status);
        assert_int_equal(d.n_crashed, rows[i].n_crashed);
        assert_int_equal(osw_death_is_external(&d), rows[i].is_external);
    }
}

static void without_one_nothing_happens(void **state)
{
    pid_t a = make_group();

    (void)state;
    osw_reaper_add(a);
    osw_reaper_stop();
    osw_reaper_start("/nowhere/at/all");
    osw_reaper_add(a);
    osw_reaper_remove(a);
    osw_reaper_stop();
    assert_false(is_gone(a));
    end(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_named_and_not_taken_back_is_killed),
        cmocka_unit_test(
            folders_that_were_named_and_not_taken_back_are_removed),
        cmocka_unit_test(it_says_how_the_process_ended),
        cmocka_unit_test(without_one_nothing_happens),
    };

    if (argc > 1 && strcmp(argv[1], OSW_REAPER_WORD) == 0) {
        osw_reaper_serve(STDIN_FILENO, note_removed);
        return 0;
    }
    return cmocka_run_group_tests_name("common/reaper", tests, NULL, NULL);
}

/* tests/unit/common/test_reaper.c - groups end with their process */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_named_and_not_taken_back_is_killed),
        cmocka_unit_test(
            folders_that_were_named_and_not_taken_back_are_removed),
        cmocka_unit_test(without_one_nothing_happens),
    };

    return cmocka_run_group_tests_name("common/reaper", tests, NULL, NULL);
}

/* test_neighbour.c - has another process of this node ended? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_runner/transport/neighbour.h"

static pid_t start_child(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        pause();
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

static void the_end_of_a_process_is_seen_at_once(void **state)
{
    char host[256] = "";
    pid_t pid = start_child();
    uint64_t born = osw_neighbour_born((uint64_t)pid);
    int fd;

    (void)state;
    gethostname(host, sizeof(host) - 1);
    assert_int_not_equal(born, 0);
    fd = osw_neighbour_watch(host, (uint64_t)pid, born);
    assert_true(fd >= 0);
    assert_false(osw_neighbour_gone(fd));
    kill(pid, SIGSTOP); /* which is no end */
    usleep(10000);
    assert_false(osw_neighbour_gone(fd));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(osw_neighbour_gone(fd));
    close(fd);
    assert_int_equal(osw_neighbour_born((uint64_t)pid), 0);
    assert_int_equal(osw_neighbour_watch(host, (uint64_t)pid, born), -1);
}

static void only_that_very_process_of_this_node_is_watched(void **state)
{
    uint64_t pid = (uint64_t)getppid(), born = osw_neighbour_born(pid);
    uint64_t own = (uint64_t)getpid();
    char host[256] = "";

    (void)state;
    gethostname(host, sizeof(host) - 1);
    assert_int_equal(osw_neighbour_watch("elsewhere", pid, born), -1);
    assert_int_equal(osw_neighbour_watch(host, pid, born + 1), -1);
    assert_int_equal(osw_neighbour_watch(host, pid, 0), -1);
    assert_int_equal(osw_neighbour_watch(host, own, osw_neighbour_born(own)),
                     -1); /* its other half is a thread of this process */
    assert_false(osw_neighbour_gone(-1));
    osw_neighbour_kill(-1);
}

/* One that cannot be watched is gone only if it would be seen here. */
static void an_earlier_end_is_known_where_pids_mean_the_same(void **state)
{
    uint64_t space = osw_neighbour_pid_space(), pid, born;
    pid_t child = start_child();
    char host[256] = "";

    (void)state;
    gethostname(host, sizeof(host) - 1);
    pid = (uint64_t)child;
    born = osw_neighbour_born(pid);
    assert_int_not_equal(space, 0);
    assert_false(osw_neighbour_has_ended(host, pid, born, space));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(osw_neighbour_has_ended(host, pid, born, space));
    assert_false(osw_neighbour_has_ended("elsewhere", pid, born, space));
    assert_false(osw_neighbour_has_ended(host, pid, born, space + 1));
    assert_false(osw_neighbour_has_ended(host, pid, born, 0));
    assert_false(osw_neighbour_has_ended(host, pid, 0, space));
}

static void a_process_that_does_not_go_is_killed(void **state)
{
    char host[256] = "";
    pid_t pid = start_child();
    int fd, status;

    (void)state;
    gethostname(host, sizeof(host) - 1);
    fd = osw_neighbour_watch(host, (uint64_t)pid,
                             osw_neighbour_born((uint64_t)pid));
    kill(pid, SIGSTOP);
    osw_neighbour_kill(fd);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    osw_neighbour_kill(fd);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_process_is_seen_at_once),
        cmocka_unit_test(an_earlier_end_is_known_where_pids_mean_the_same),
        cmocka_unit_test(a_process_that_does_not_go_is_killed),
        cmocka_unit_test(only_that_very_process_of_this_node_is_watched),
    };

    return cmocka_run_group_tests_name("mpi_runner/neighbour", tests, NULL,
                                       NULL);
}

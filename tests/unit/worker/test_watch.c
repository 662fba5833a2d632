/* tests/unit/worker/test_watch.c - memory and processes of a group */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/judge/process/copies.h"
#include "worker/judge/process/watch.h"

enum { MIB = 1 << 20, N_CHILDREN = 3 };

/* A group of 1 + N_CHILDREN processes, each with `bytes` of its own touched;
 * its leader.
 */
static pid_t make_group(size_t bytes)
{
    volatile char *own;
    int up[2];
    char c;
    pid_t leader;

    assert_int_equal(pipe(up), 0);
    leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        for (int i = 0; i < N_CHILDREN && fork() != 0; i++)
            continue;
        own = malloc(bytes);
        for (size_t i = 0; own && i < bytes; i += 4096)
            own[i] = 1;
        (void)!write(up[1], "x", 1);
        for (;;)
            pause();
    }
    for (int i = 0; i <= N_CHILDREN; i++)
        assert_int_equal(read(up[0], &c, 1), 1);
    close(up[0]);
    close(up[1]);
    return leader;
}

static void a_group_is_the_sum_of_its_processes(void **state)
{
    pid_t leader = make_group(32 * MIB);
    struct osw_watch one = osw_watch_process(leader);
    struct osw_watch all = osw_watch_group(leader, NULL);

    (void)state;
    kill(-leader, SIGKILL);
    waitpid(leader, NULL, 0);
    assert_int_equal(one.n_processes, 1);
    assert_in_range(one.bytes, 32 * MIB, 48 * MIB);
    assert_int_equal(all.n_processes, 1 + N_CHILDREN);
    assert_in_range(all.bytes, (1 + N_CHILDREN) * 32 * MIB,
                    (1 + N_CHILDREN) * 48 * MIB);
}

static void a_process_that_is_gone_holds_nothing(void **state)
{
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    assert_int_equal(osw_watch_process(pid).n_processes, 0);
    assert_int_equal(osw_watch_group(pid, NULL).n_processes, 0);
    assert_int_equal(osw_watch_threads(pid), 0);
}

/* State of a process by /proc, '?' after it ended. */
static char state_of(pid_t pid)
{
    char path[64], state = '?';
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (f) {
        (void)!fscanf(f, "%*d (%*[^)]) %c", &state);
        fclose(f);
    }
    return state;
}

/* A group whose leader left an orphan and ended with status 7; the orphan's
 * number.
 */
static pid_t leave_orphan(pid_t *leader)
{
    pid_t orphan;
    int up[2];

    assert_int_equal(pipe(up), 0);
    *leader = fork();
    if (*leader == 0) {
        setpgid(0, 0);
        orphan = fork();
        if (orphan == 0) {
            usleep(50000);
            _exit(0);
        }
        (void)!write(up[1], &orphan, sizeof(orphan));
        _exit(7);
    }
    assert_int_equal(read(up[0], &orphan, sizeof(orphan)), sizeof(orphan));
    close(up[0]);
    close(up[1]);
    return orphan;
}

/* A leader that is a zombie may hide orphans: they are reaped after it. */
static void orphans_are_reaped_and_their_leader_is_not(void **state)
{
    siginfo_t info = {.si_pid = 0};
    pid_t leader, orphan;
    int status;

    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    orphan = leave_orphan(&leader);
    assert_int_equal(waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT), 0);
    while (state_of(orphan) != 'Z')
        usleep(1000);
    assert_true(osw_watch_reap(leader));
    assert_int_equal(waitpid(leader, &status, 0), leader);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_false(osw_watch_reap(leader) && osw_watch_reap(leader));
    assert_int_equal(state_of(orphan), '?');
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

static void a_start_tells_processes_apart(void **state)
{
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        for (;;)
            pause();
    assert_true(osw_watch_started(getpid()) > 0);
    assert_true(osw_watch_started(pid) >= osw_watch_started(getpid()));
    kill(pid, SIGKILL);
    while (state_of(pid) != 'Z')
        usleep(1000);
    assert_int_equal(osw_watch_started(pid), 0);
    waitpid(pid, NULL, 0);
    assert_int_equal(osw_watch_started(pid), 0);
}

static void *wait_for_end(void *arg)
{
    char c;

    (void)!read(*(const int *)arg, &c, 1);
    return NULL;
}

static void threads_are_counted(void **state)
{
    pthread_t threads[3];
    int up[2];

    (void)state;
    assert_int_equal(pipe(up), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(osw_watch_threads(getpid()), 1 + i);
        assert_int_equal(
            pthread_create(&threads[i], NULL, wait_for_end, &up[0]), 0);
    }
    assert_int_equal(osw_watch_threads(getpid()), 4);
    close(up[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    close(up[0]);
}

static void each_thread_has_an_account_of_its_waits(void **state)
{
    struct osw_watch_waits waits;
    pthread_t thread;
    bool found = false;
    int up[2];

    (void)state;
    assert_int_equal(pipe(up), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &up[0]), 0);
    osw_watch_waits(getpid(), &waits);
    assert_int_equal(waits.n, 2);
    assert_int_not_equal(waits.of[0].thread, waits.of[1].thread);
    for (uint32_t i = 0; i < waits.n; i++) {
        found = found || waits.of[i].thread == getpid();
        assert_true(waits.of[i].ns >= 0);
    }
    assert_true(found);
    close(up[1]);
    pthread_join(thread, NULL);
    close(up[0]);
}

static void the_thread_that_waited_longest_counts(void **state)
{
    static const struct osw_watch_waits then = {
        .n = 3, .of = {{7, 100}, {8, 900}, {9, 50}}};
    static const struct {
        struct osw_watch_waits now;
        int64_t want;
    } rows[] = {
        {{.n = 3, .of = {{7, 100}, {8, 900}, {9, 50}}}, 0},
        {{.n = 3, .of = {{8, 910}, {7, 140}, {9, 50}}}, 40},
        {{.n = 2, .of = {{7, 101}, {11, 30}}}, 30}, /* one is new, two ended */
        {{.n = 1, .of = {{8, 3}}}, 0},              /* its number came again */
        {{.n = 0}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(osw_watch_longest_wait(&then, &rows[i].now),
                         rows[i].want);
}

enum relation { NONE, CHILD, ORPHAN };
enum habit { KEEPS, PROTECTS, UNMAPS }; /* the mapping */

/* A process with a mapping, in a group of its own, and one that it forked. */
static pid_t make_copy(enum relation relation, void *mapping, enum habit habit)
{
    int up[2];
    char c;
    pid_t leader;

    assert_int_equal(pipe(up), 0);
    leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        if (relation == NONE || fork() == 0) {
            if (relation == ORPHAN && fork() > 0)
                _exit(0);
            if (habit == UNMAPS)
                munmap(mapping, MIB);
            if (habit == PROTECTS)
                mprotect(mapping, MIB, PROT_NONE);
            (void)!write(up[1], "x", 1);
        } else if (relation == ORPHAN) {
            wait(NULL);
            (void)!write(up[1], "x", 1);
        }
        for (;;)
            pause();
    }
    for (int i = 0; i < (relation == ORPHAN ? 2 : 1); i++)
        assert_int_equal(read(up[0], &c, 1), 1);
    close(up[0]);
    close(up[1]);
    return leader;
}

static void forked_copies_of_a_mapping_are_found(void **state)
{
    static const struct {
        const char *what;
        enum relation relation;
        enum habit habit;
        bool found;
    } rows[] = {
        {"no other process", NONE, KEEPS, false},
        {"a child", CHILD, KEEPS, true},
        {"a child that may not write now", CHILD, PROTECTS, true},
        {"a child that gave it back", CHILD, UNMAPS, false},
        {"an orphan", ORPHAN, KEEPS, true},
        {"an orphan that gave it back", ORPHAN, UNMAPS, false},
    };
    int fd = memfd_create("copied", MFD_CLOEXEC);
    void *mapping;

    (void)state;
    assert_int_equal(ftruncate(fd, MIB), 0);
    mapping = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(mapping, MAP_FAILED);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    if (access("/proc/thread-self/children", R_OK) != 0)
        skip(); /* CONFIG_PROC_CHILDREN */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pid_t leader = make_copy(rows[i].relation, mapping, rows[i].habit);
        pid_t found = osw_copies_find(leader, fd, NULL, NULL);

        print_message("  case: %s\n", rows[i].what);
        assert_int_equal(found != 0, rows[i].found);
        assert_int_not_equal(found, leader);
        kill(-leader, SIGKILL);
        waitpid(leader, NULL, 0);
        while (osw_watch_reap(leader))
            usleep(100);
    }
    munmap(mapping, MIB);
    close(fd);
}

static void the_node_has_tasks(void **state)
{
    (void)state;
    assert_true(osw_watch_tasks() > 0);
    (void)osw_watch_oom();
    assert_false(osw_watch_oom());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_the_sum_of_its_processes),
        cmocka_unit_test(a_process_that_is_gone_holds_nothing),
        cmocka_unit_test(orphans_are_reaped_and_their_leader_is_not),
        cmocka_unit_test(a_start_tells_processes_apart),
        cmocka_unit_test(threads_are_counted),
        cmocka_unit_test(each_thread_has_an_account_of_its_waits),
        cmocka_unit_test(the_thread_that_waited_longest_counts),
        cmocka_unit_test(forked_copies_of_a_mapping_are_found),
        cmocka_unit_test(the_node_has_tasks),
    };

    return cmocka_run_group_tests_name("worker/watch", tests, NULL, NULL);
}

/* tests/unit/worker/test_held.c - memory and files that no process shows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/judge/process/held.h"

enum { MIB = 1 << 20 };

/* A process that runs hold() and then waits; end() ends it. */
static pid_t start(void (*hold)(void))
{
    int up[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(up), 0);
    pid = fork();
    if (pid == 0) {
        hold();
        (void)!write(up[1], "x", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(up[0], &c, 1), 1);
    close(up[0]);
    close(up[1]);
    return pid;
}

/* What it holds, counted as of two processes that hold the same. */
static struct osw_held look(void (*hold)(void), int except)
{
    static struct osw_held held;
    pid_t pid = start(hold);

    osw_held_begin(&held, "");
    osw_held_except(&held, except);
    osw_held_add(&held, pid);
    osw_held_add(&held, pid);
    osw_held_sum(&held);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return held;
}

static int ours = -1;

static void hold_blocks(void)
{
    int fd = memfd_create("held", 0);

    (void)!ftruncate(fd, 64 * MIB);
    (void)!fallocate(fd, 0, 0, 3 * MIB);
}

static void hold_mapping(void)
{
    int fd = memfd_create("held", 0);

    (void)!ftruncate(fd, 8 * MIB);
    (void)mmap(NULL, 2 * MIB, PROT_READ, MAP_SHARED, fd, 0);
    (void)mmap(NULL, 2 * MIB, PROT_READ, MAP_SHARED, fd, 2 * MIB);
    close(fd);
}

static void hold_shared(void)
{
    (void)mmap(NULL, 5 * MIB, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void hold_deleted(void)
{
    char name[] = "/tmp/held-XXXXXX";
    int fd = mkstemp(name);

    (void)!fallocate(fd, 0, 0, 2 * MIB);
    unlink(name);
}

static void hold_ours(void)
{
    (void)!fallocate(ours, 0, 0, 6 * MIB);
    (void)mmap(NULL, 6 * MIB, PROT_READ, MAP_SHARED, ours, 0);
}

static void each_file_without_a_name_counts_once(void **state)
{
    static const struct {
        void (*hold)(void);
        uint64_t memory, file_bytes;
    } rows[] = {
        {hold_blocks, 3 * MIB, 0},
        {hold_mapping, 4 * MIB, 0},
        {hold_shared, 5 * MIB, 0},
        {hold_deleted, 0, 2 * MIB},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_held held = look(rows[i].hold, -1);

        print_message("row %zu\n", i);
        assert_int_equal(held.memory, rows[i].memory);
        assert_in_range(held.file_bytes, rows[i].file_bytes,
                        rows[i].file_bytes + 4096);
    }
}

static void what_is_the_judges_does_not(void **state)
{
    struct osw_held held;

    (void)state;
    ours = memfd_create("ours", 0);
    assert_int_equal(ftruncate(ours, 6 * MIB), 0);
    held = look(hold_ours, -1);
    assert_int_equal(held.memory, 6 * MIB);
    held = look(hold_ours, ours);
    assert_int_equal(held.memory, 0);
    close(ours);
}

static void hold_lock(const char *path, int flags, int lock)
{
    if (flock(open(path, flags), lock) < 0)
        _exit(1);
}

static char victim[32];

static void lock_others(void)
{
    hold_lock(victim, O_RDONLY, LOCK_EX);
}

static void share_others(void)
{
    hold_lock(victim, O_RDONLY, LOCK_SH);
}

static void lock_own(void)
{
    hold_lock(victim, O_RDWR, LOCK_EX);
}

static void a_lock_on_a_file_of_others_is_told(void **state)
{
    struct osw_held held;

    (void)state;
    strcpy(victim, "/tmp/held-XXXXXX");
    close(mkstemp(victim));
    held = look(lock_others, -1);
    assert_string_equal(held.locked, victim);
    held = look(share_others, -1);
    assert_string_equal(held.locked, "");
    held = look(lock_own, -1);
    assert_string_equal(held.locked, "");
    unlink(victim);
}

/* Two files of 1 MiB, one of them with two names, a link to a large one. */
static void a_folder_is_all_that_is_in_it(void **state)
{
    char root[] = "/tmp/held-XXXXXX", command[512];
    struct osw_held held;

    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof(command),
             "cd %s && mkdir a && head -c 1M /dev/zero >a/x && ln a/x y && "
             "head -c 1M /dev/zero >z && ln -s /bin/bash link",
             root);
    assert_int_equal(system(command), 0);
    osw_held_begin(&held, root);
    osw_held_sum(&held);
    assert_int_equal(held.n_files, 5);
    assert_in_range(held.file_bytes, 2 * MIB, 2 * MIB + 32768);
    assert_false(held.too_deep);
    snprintf(command, sizeof(command),
             "cd %s && for i in $(seq %d); do mkdir d && cd d; done", root,
             OSW_HELD_DEPTH + 2);
    assert_int_equal(system(command), 0);
    osw_held_begin(&held, root);
    assert_true(held.too_deep);
    snprintf(command, sizeof(command), "rm -r %s", root);
    assert_int_equal(system(command), 0);
    osw_held_begin(&held, root);
    assert_int_equal(held.n_files, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_without_a_name_counts_once),
        cmocka_unit_test(what_is_the_judges_does_not),
        cmocka_unit_test(a_lock_on_a_file_of_others_is_told),
        cmocka_unit_test(a_folder_is_all_that_is_in_it),
    };

    return cmocka_run_group_tests_name("worker/held", tests, NULL, NULL);
}

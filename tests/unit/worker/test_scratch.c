/* tests/unit/worker/test_scratch.c - scratch folders without an owner */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker/scratch.h"

static char root[32]; /* short enough to be TMPDIR */

/* Instead of the C library's: its clock ticks every few milliseconds, and that
 * of a file system may be ahead of it.
 */
static time_t late_s;

time_t time(time_t *out)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec -= late_s;
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}

static void a_clock_that_is_late_does_no_harm(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[64];
    int fd;

    (void)state;
    late_s = 1;
    fd = osw_scratch_open(path, sizeof(path), &err);
    late_s = 0;
    if (fd < 0)
        fail_msg("%s", err.text);
    osw_scratch_close(fd, path);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/scratch-XXXXXX");
    return mkdtemp(root) && setenv("TMPDIR", root, 1) == 0 ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    osw_scratch_remove(root);
    return access(root, F_OK) == 0;
}

static void touch(const char *format, const char *path)
{
    char name[256];
    int fd;

    snprintf(name, sizeof(name), format, path);
    fd = open(name, O_CREAT | O_WRONLY, 0);
    assert_true(fd >= 0);
    close(fd);
}

static void make(const char *format, const char *path, mode_t mode)
{
    char name[256];

    snprintf(name, sizeof(name), format, path);
    assert_int_equal(mode ? mkdir(name, mode) : chmod(name, 0), 0);
}

static void whatever_is_in_it_goes_and_nothing_else(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[64], link[96], kept[64];
    struct stat st;
    int fd = osw_scratch_open(path, sizeof(path), &err);

    (void)state;
    assert_true(fd >= 0);
    assert_memory_equal(path, root, strlen(root));
    snprintf(kept, sizeof(kept), "%s/kept", root);
    make("%s", kept, 0750);
    touch("%s/file", kept);
    snprintf(link, sizeof(link), "%s/link", path);
    assert_int_equal(symlink(kept, link), 0);
    make("%s/a", path, 0700);
    make("%s/a/b", path, 0700);
    touch("%s/a/b/file", path);
    make("%s/a/b", path, 0); /* locked */
    make("%s/a", path, 0);
    osw_scratch_close(fd, path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(stat(kept, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0750);
    snprintf(link, sizeof(link), "%s/file", kept);
    assert_int_equal(access(link, F_OK), 0);
    osw_scratch_close(-1, path);
}

/* One in use, one of a process that was killed, and one that is too young to
 * tell: the killed one goes when the next worker begins.
 */
/* Deeper than descriptors and stack would allow, by names that are in use. */
static void folders_in_folders_go(void **state)
{
    char path[64];
    int fd;

    (void)state;
    snprintf(path, sizeof(path), "%s/deep", root);
    make("%s", path, 0700);
    make("%s/lifted-0", path, 0700);
    touch("%s/lifted-0/file", path);
    fd = open(path, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 2000; i++) {
        int next;

        assert_int_equal(mkdirat(fd, "d", 0700), 0);
        if (i % 3 == 0)
            assert_int_equal(symlinkat(root, fd, "link"), 0);
        next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        assert_int_equal(i % 2 ? 0 : fchmod(fd, 0), 0);
        close(fd);
        fd = next;
    }
    close(fd);
    osw_scratch_remove(path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(root, F_OK), 0);
}

static void what_the_killed_left_goes(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    char used[64], left[96], young[96], next[64];
    int used_fd = osw_scratch_open(used, sizeof(used), &err), fd;

    (void)state;
    snprintf(left, sizeof(left), "%s/opsweep-work-killed", root);
    snprintf(young, sizeof(young), "%s/opsweep-work-young", root);
    make("%s", left, 0700);
    make("%s", young, 0700);
    touch("%s/file", left);
    assert_int_equal(utimensat(AT_FDCWD, left, old, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, used, old, 0), 0);
    fd = osw_scratch_open(next, sizeof(next), &err);
    assert_true(used_fd >= 0 && fd >= 0);
    assert_int_equal(access(used, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0);
    assert_int_equal(access(left, F_OK), -1);
    osw_scratch_close(fd, next);
    osw_scratch_close(used_fd, used);
    assert_int_equal(access(used, F_OK), -1);
    osw_scratch_remove(young);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[64];

    (void)state;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_int_equal(osw_scratch_open(path, sizeof(path), &err), -1);
    assert_non_null(strstr(err.text, "'/nowhere/at/all'"));
    assert_string_equal(path, "");
    setenv("TMPDIR", root, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_in_it_goes_and_nothing_else),
        cmocka_unit_test(folders_in_folders_go),
        cmocka_unit_test(what_the_killed_left_goes),
        cmocka_unit_test(a_clock_that_is_late_does_no_harm),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
    };

    return cmocka_run_group_tests_name("worker/scratch", tests, make_root,
                                       remove_root);
}

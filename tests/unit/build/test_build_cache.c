/* tests/unit/build/test_build_cache.c - the folder of the build cache */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "ops/build/adopt.h"
#include "ops/build/build_cache.h"

struct fixture {
    char base[64], dir[OSW_BUILD_CACHE_MAX_DIR];
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;
    char dir[80];

    memset(&f, 0, sizeof(f));
    strcpy(f.base, "/tmp/test_build_cache.XXXXXX");
    assert_non_null(mkdtemp(f.base));
    snprintf(dir, sizeof(dir), "%s/a/b", f.base);
    assert_int_equal(osw_build_cache_open(dir, f.dir, &f.err), 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", f->base);
    return system(command);
}

static void what_is_written_is_read(void **state)
{
    struct fixture *f = *state;
    struct osw_text text = OSW_TEXT_INIT;
    char tmp[OSW_BUILD_CACHE_MAX_TMP], path[OSW_BUILD_MAX_PATH];
    char from[OSW_BUILD_MAX_PATH];
    int64_t before_ns = osw_clock_unix_ns() - 100000000, written_ns = 0;
    struct stat st;

    assert_int_equal(osw_build_cache_tmp_make(f->dir, tmp, &f->err), 0);
    osw_build_cache_path(f->dir, "name", "deps", path);
    assert_false(osw_build_cache_read(path, 5, &text, NULL));
    snprintf(from, sizeof(from), "%s/made", tmp);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            osw_build_cache_put(from, i ? "again" : "first", 5, &f->err), 0);
        assert_int_equal(osw_build_cache_adopt(f->dir, from, path, &f->err), 0);
    }
    assert_true(osw_build_cache_read(path, 5, &text, &written_ns));
    assert_string_equal(osw_text_str(&text), "again");
    assert_true(written_ns >= before_ns);
    assert_true(written_ns <= osw_clock_unix_ns());
    osw_text_reset(&text);
    assert_false(osw_build_cache_read(path, 4, &text, NULL));
    osw_text_reset(&text);
    assert_false(osw_build_cache_read("/dev/zero", 4, &text, NULL));
    osw_text_free(&text);
    osw_build_cache_tmp_remove(tmp);
    assert_int_equal(stat(tmp, &st), -1);
}

/* The files in order; what fails says which, and those after it stay. */
static void a_thread_adopts_files(void **state)
{
    struct fixture *f = *state;
    char tmp[OSW_BUILD_CACHE_MAX_TMP], from[OSW_BUILD_MAX_PATH],
        to[OSW_BUILD_MAX_PATH];
    struct osw_adoption *a;
    int rc;

    assert_int_equal(osw_build_cache_tmp_make(f->dir, tmp, &f->err), 0);
    snprintf(from, sizeof(from), "%s/made", tmp);
    osw_build_cache_path(f->dir, "adopted", "so", to);
    for (int good = 1; good >= 0; good--) {
        assert_int_equal(osw_build_cache_put(from, "x", 1, &f->err), 0);
        a = osw_adoption_new(f->dir, &f->err);
        assert_non_null(a);
        if (!good)
            osw_adoption_add(a, "/nowhere/from", to);
        osw_adoption_add(a, from, to);
        osw_adoption_begin(a);
        while ((rc = osw_adoption_poll(&a, &f->err)) == 0)
            osw_clock_sleep_ns(1000);
        assert_null(a);
        assert_int_equal(rc, good ? 1 : -1);
        assert_int_equal(access(to, F_OK), good ? 0 : -1);
        assert_int_equal(access(from, F_OK), good ? -1 : 0);
        (void)unlink(to);
    }
    assert_non_null(strstr(f->err.text, "/nowhere/from"));
    osw_build_cache_tmp_remove(tmp);
}

static void a_work_folder_goes_with_its_files(void **state)
{
    struct fixture *f = *state;
    char tmp[OSW_BUILD_CACHE_MAX_TMP], left[OSW_BUILD_MAX_PATH];
    FILE *file;

    assert_int_equal(osw_build_cache_tmp_make(f->dir, tmp, &f->err), 0);
    snprintf(left, sizeof(left), "%s/left", tmp);
    file = fopen(left, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    osw_build_cache_tmp_remove(tmp);
    assert_int_equal(access(tmp, F_OK), -1);
}

static void a_lock_has_one_holder_and_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];
    int one = -1, two = -1;

    osw_build_cache_path(f->dir, "name", "lock", path);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(osw_build_cache_lock(f->dir, "name", &one, &f->err),
                         1);
        assert_int_equal(osw_build_cache_lock(f->dir, "name", &two, &f->err),
                         0);
        assert_int_equal(osw_build_cache_lock(f->dir, "other", &two, &f->err),
                         1);
        osw_build_cache_unlock(f->dir, "other", two);
        assert_int_equal(access(path, F_OK), 0);
        osw_build_cache_unlock(f->dir, "name", one);
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void what_cannot_be_done_says_where(void **state)
{
    struct fixture *f = *state;
    int fd;

    assert_int_equal(osw_build_cache_lock("/nowhere", "name", &fd, &f->err),
                     -1);
    assert_non_null(strstr(f->err.text, "/nowhere/name.lock"));
    f->err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(
        osw_build_cache_adopt(f->dir, "/nowhere/from", "/nowhere/to", &f->err),
        -1);
    assert_non_null(strstr(f->err.text, "/nowhere/from"));
    f->err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_build_cache_put("/nowhere/made", "x", 1, &f->err), -1);
    assert_non_null(strstr(f->err.text, "/nowhere/made"));
}

static void a_folder_that_is_no_good_is_named_with_the_cure(void **state)
{
    struct fixture *f = *state;
    char file[100], below[110];
    const char *const bad[] = {file, below, "/proc/none", "/proc"};

    snprintf(file, sizeof(file), "%s/file", f->base);
    snprintf(below, sizeof(below), "%s/x", file);
    fclose(fopen(file, "w"));
    assert_int_equal(osw_build_cache_check(f->dir, &f->err), 0);
    assert_int_equal(rmdir(f->dir), 0); /* nothing was left in it */
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char want[140];

        f->err = (struct osw_error)OSW_ERROR_INIT;
        snprintf(want, sizeof(want), "build cache '%s'", bad[i]);
        print_message("  %s\n", bad[i]);
        assert_int_equal(osw_build_cache_check(bad[i], &f->err), -1);
        assert_non_null(strstr(f->err.text, want));
        assert_non_null(strstr(f->err.text, "; cure: name another folder"));
        assert_null(strstr(f->err.text, "OPSWEEP_CACHE"));
    }
    f->err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(setenv("OPSWEEP_CACHE", file, 1), 0);
    assert_int_equal(osw_build_cache_check(NULL, &f->err), -1);
    assert_non_null(strstr(f->err.text, "folder by OPSWEEP_CACHE"));
    assert_int_equal(unsetenv("OPSWEEP_CACHE"), 0);
}

/* A folder of that age, in seconds, with a file in it. */
static void make_left(struct fixture *f, const char *name, long age_s)
{
    struct timespec now, times[2];
    char path[OSW_BUILD_MAX_PATH], file[OSW_BUILD_MAX_PATH + 16];

    snprintf(path, sizeof(path), "%s/%s", f->dir, name);
    snprintf(file, sizeof(file), "%s/op.so", path);
    assert_int_equal(mkdir(path, 0700), 0);
    fclose(fopen(file, "w"));
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    now.tv_sec -= age_s;
    times[0] = times[1] = now;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_killed_compilers_left_goes_after_a_day(void **state)
{
    static const struct {
        const char *name;
        long age_s;
        bool stays;
    } left[] = {
        {"tmp.aBc123", 90000, false},
        {"tmp.aBc124", 3600, true},
        {"tmp.mine", 90000, true},
        {"folder", 90000, true},
    };
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    assert_int_equal(osw_build_cache_check(f->dir, &f->err), 0);
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
        make_left(f, left[i].name, left[i].age_s);
    assert_int_equal(osw_build_cache_check(f->dir, &f->err), 0);
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
        print_message("  %s\n", left[i].name);
        snprintf(path, sizeof(path), "%s/%s", f->dir, left[i].name);
        assert_int_equal(access(path, F_OK) == 0, left[i].stays);
    }
}

/* What is in it is loaded by sandboxes, in other folders. */
static void a_relative_name_is_one_below_the_current_folder(void **state)
{
    struct fixture *f = *state;
    char before[512], want[128], dir[OSW_BUILD_CACHE_MAX_DIR];

    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(f->base), 0);
    assert_int_equal(setenv("OPSWEEP_CACHE", "own/cache", 1), 0);
    assert_int_equal(osw_build_cache_open(NULL, dir, &f->err), 0);
    assert_int_equal(unsetenv("OPSWEEP_CACHE"), 0);
    assert_int_equal(chdir(before), 0);
    snprintf(want, sizeof(want), "%s/own/cache", f->base);
    assert_string_equal(dir, want);
    assert_int_equal(access(want, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(what_is_written_is_read),
        T(a_thread_adopts_files),
        T(a_work_folder_goes_with_its_files),
        T(what_killed_compilers_left_goes_after_a_day),
        T(a_lock_has_one_holder_and_leaves_nothing),
        T(what_cannot_be_done_says_where),
        T(a_folder_that_is_no_good_is_named_with_the_cure),
        T(a_relative_name_is_one_below_the_current_folder),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build_cache", tests, NULL, NULL);
}

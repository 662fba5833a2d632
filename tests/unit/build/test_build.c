/* tests/unit/build/test_build.c - the build cache */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/build/build_fixture.h"
#include "tests/unit/chaos.h"

static void a_source_is_built_once_and_then_found(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];
    struct stat st;

    get(f);
    assert_false(f->result.failed);
    assert_false(f->result.cached);
    assert_true(f->result.duration_ns > 0);
    assert_string_equal(f->result.output, "");
    assert_int_equal(answer_of(f->result.path), 42);
    strcpy(path, f->result.path);
    get(f);
    assert_true(f->result.cached);
    assert_string_equal(f->result.path, path);
    assert_int_equal(count_files(f->cache, ".so"), 1);
    assert_int_equal(count_files(f->cache, "tmp."), 0);
    assert_int_equal(stat(f->cache, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void an_included_header_counts(void **state)
{
    struct fixture *f = *state;

    get(f);
    put(f->header, "#define ANSWER 43\n");
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(answer_of(f->result.path), 43);
    put(f->header, "#define ANSWER 42\n");
    get(f);
    assert_true(f->result.cached);
}

static void words_defines_and_flags_count(void **state)
{
    static const char *const defines[] = {"EXTRA=1"};
    struct fixture *f = *state;

    get(f);
    f->request.words = "-lm";
    get(f);
    assert_false(f->result.cached);
    f->request.defines = defines;
    f->request.n_defines = 1;
    get(f);
    assert_false(f->result.cached);
    setenv("OPSWEEP_CFLAGS", "-std=gnu11 -O0", 1);
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(count_files(f->cache, ".so"), 4);
}

static void a_moved_source_finds_its_object(void **state)
{
    struct fixture *f = *state;
    char moved[96];

    get(f);
    snprintf(moved, sizeof(moved), "%s/other_name.c", f->dir);
    assert_int_equal(rename(f->source, moved), 0);
    f->request.source = moved;
    get(f);
    assert_true(f->result.cached);
}

static void a_compile_error_is_a_verdict_with_the_compilers_words(void **state)
{
    struct fixture *f = *state;

    put(f->source, "int answer(void) { return ANSWR; }\n");
    get(f);
    assert_true(f->result.failed);
    assert_string_equal(f->result.path, "");
    assert_non_null(strstr(f->result.output, "op_x.c:1:27"));
    assert_non_null(strstr(f->result.output, "ANSWR"));
    assert_null(strstr(f->result.output, "tmp."));
    assert_int_equal(count_files(f->cache, ".so"), 0);
    assert_int_equal(count_files(f->cache, "tmp."), 0);
}

static void a_missing_header_is_a_verdict_too(void **state)
{
    struct fixture *f = *state;

    put(f->source, "#include \"nowhere.h\"\n");
    get(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "nowhere.h"));
}

static void a_missing_library_is_a_verdict_without_temporary_names(void **state)
{
    struct fixture *f = *state;

    f->request.words = "-lno_such_library";
    get(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "no_such_library"));
    assert_null(strstr(f->result.output, f->cache));
}

static void the_compilers_words_are_cut(void **state)
{
    struct fixture *f = *state;
    FILE *out = fopen(f->source, "w");

    assert_non_null(out);
    for (int i = 0; i < 2000; i++)
        fprintf(out, "#error number %d\n", i);
    assert_int_equal(fclose(out), 0);
    get(f);
    assert_true(f->result.failed);
    assert_int_equal(strlen(f->result.output), OSW_BUILD_MAX_OUTPUT - 1);
}

static void a_compiler_that_hangs_is_stopped_at_the_deadline(void **state)
{
    struct fixture *f = *state;
    char compiler[96];

    /* Answers --version and -E, and hangs when it should compile. */
    snprintf(compiler, sizeof(compiler), "%s/slow-cc", f->dir);
    put(compiler, "#!/bin/sh\ncase \"$*\" in *--version*|*-E*) exit 0;; esac\n"
                  "touch \"$TMPDIR/outlived\"; sleep 60\n");
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    f->request.deadline_ns = 1000 * INT64_C(1000000);
    get(f);
    unsetenv("CC");
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "deadline"));
    assert_int_equal(count_files(f->cache, "tmp."), 0);
}

static void a_shared_object_is_its_own_object(void **state)
{
    struct fixture *f = *state;
    char so[96];

    snprintf(so, sizeof(so), "%s/op_x.so", f->dir);
    put(so, "not looked into");
    f->request.source = so;
    get(f);
    assert_true(f->result.cached);
    assert_string_equal(f->result.path, so);
}

static void what_cannot_be_tried_is_an_error(void **state)
{
    struct fixture *f = *state;
    char path[96];

    snprintf(path, sizeof(path), "%s/op_x.f90", f->dir);
    put(path, "");
    f->request.source = path;
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(
        strstr(f->err.text, "expected a file ending in .c, .cu, .so or .py"));

    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.source = "/nowhere/op_x.c";
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_SYSTEM);
    assert_non_null(strstr(f->err.text, "/nowhere/op_x.c"));

    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.source = f->source;
    setenv("CC", "no-such-compiler", 1);
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    unsetenv("CC");
    assert_non_null(strstr(f->err.text, "cannot start 'no-such-compiler'"));
}

static void a_cache_that_others_can_write_is_refused(void **state)
{
    struct fixture *f = *state;

    get(f);
    assert_int_equal(chmod(f->cache, 0777), 0);
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "only we can write, found mode 0777"));
}

/* Four at once: the compiler, which counts itself, is run once to compile. */
static void concurrent_ranks_compile_once(void **state)
{
    struct fixture *f = *state;
    char compiler[96], script[512], log[96];
    struct stat st;

    snprintf(compiler, sizeof(compiler), "%s/counting-cc", f->dir);
    snprintf(log, sizeof(log), "%s/log", f->dir);
    snprintf(
        script, sizeof(script),
        "#!/bin/sh\ncase \"$*\" in *-o*) printf x >> %s; sleep 0.3;; esac\n"
        "exec cc \"$@\"\n",
        log);
    put(compiler, script);
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            _exit(osw_build_get(&f->request, &f->result, &f->err) < 0 ||
                  f->result.failed);
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    unsetenv("CC");
    assert_int_equal(stat(log, &st), 0);
    assert_int_equal(st.st_size, 1);
    assert_int_equal(count_files(f->cache, ".so"), 1);
}

/* Hold the lock of what was built last, as another process does. */
static int hold_lock(const struct fixture *f)
{
    char path[OSW_BUILD_MAX_PATH];
    int fd;

    assert_int_equal(unlink(f->result.path), 0);
    find_file(f->cache, ".deps", path, sizeof(path));
    strcpy(path + strlen(path) - 5, ".lock");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    return fd;
}

static void touch(void *arg)
{
    assert_int_equal(futimens(*(int *)arg, NULL), 0);
}

/* A rank that died while it held the lock holds it no longer; one that works
 * is waited for until the deadline.
 */
static void a_lock_that_is_held_is_waited_for_until_the_deadline(void **state)
{
    struct fixture *f = *state;
    int fd;

    get(f);
    fd = hold_lock(f);
    f->request.deadline_ns = 1000 * INT64_C(1000000);
    f->request.tick = touch;
    f->request.tick_arg = &fd;
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_TIMEOUT);
    close(fd);
    f->request.tick = NULL;
    f->request.deadline_ns = 0;
    f->err = (struct osw_error)OSW_ERROR_INIT;
    get(f);
    assert_false(f->result.cached);
}

/* It is stopped, or on a node that hangs: it does not touch its lock. */
static void a_holder_that_shows_nothing_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    int fd;

    get(f);
    fd = hold_lock(f);
    f->request.deadline_ns = 6000 * INT64_C(1000000);
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(count_files(f->cache, ".so"), 1);
    assert_int_equal(count_files(f->cache, ".lock"), 1); /* still held */
    close(fd);
}

/* --- CUDA --- */

static void make_cuda(struct fixture *f)
{
    char cuda[80];

    snprintf(cuda, sizeof(cuda), "%s/op_x.cu", f->dir);
    assert_int_equal(rename(f->source, cuda), 0);
    strcpy(f->source, cuda);
}

static void a_target_counts_for_cuda_alone(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_80", "", NULL};
    struct fixture *f = *state;

    f->request.target = "sm_90a";
    get(f);
    assert_false(f->result.cached);
    f->request.target = "sm_80";
    get(f);
    assert_true(f->result.cached);

    make_cuda(f);
    use_compiler(f, "NVCC", fake_nvcc);
    for (int i = 0; i < 4; i++) {
        f->request.target = targets[i];
        get(f);
        assert_int_equal(f->result.cached, i == 3);
        assert_int_equal(answer_of(f->result.path), 42);
    }
    assert_int_equal(count_compiles(f), 3);
}

/* Without memory a build fails, or does without what it wanted to keep. */
static void every_allocation_failure_is_survived(void **state)
{
    struct fixture *f = *state;
    bool struck = true;

    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_build_result result;
        int rc;

        chaos_arm(n);
        rc = osw_build_get_all(&f->request, &result, 1, 1, &err);
        struck = chaos_struck();
        assert_int_equal(rc, n == 0 ? -1 : 0);
        if (rc < 0)
            assert_int_equal(err.status, OSW_NO_MEMORY);
        else if (result.failed)
            assert_non_null(strstr(result.output, "no memory"));
        else
            assert_int_equal(answer_of(result.path), 42);
    }
    assert_int_equal(count_files(f->cache, "tmp."), 0);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

static void the_cache_is_where_the_environment_says(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH], want[128];

    setenv("OPSWEEP_CACHE", f->cache, 1);
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, f->cache);
    unsetenv("OPSWEEP_CACHE");
    setenv("XDG_CACHE_HOME", f->dir, 1);
    strcat(strcpy(want, f->dir), "/opsweep");
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, want);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", f->dir, 1);
    strcat(strcpy(want, f->dir), "/.cache/opsweep");
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_source_is_built_once_and_then_found),
        T(an_included_header_counts),
        T(words_defines_and_flags_count),
        T(a_moved_source_finds_its_object),
        T(a_compile_error_is_a_verdict_with_the_compilers_words),
        T(a_missing_header_is_a_verdict_too),
        T(a_missing_library_is_a_verdict_without_temporary_names),
        T(the_compilers_words_are_cut),
        T(a_compiler_that_hangs_is_stopped_at_the_deadline),
        T(a_shared_object_is_its_own_object),
        T(what_cannot_be_tried_is_an_error),
        T(a_cache_that_others_can_write_is_refused),
        T(concurrent_ranks_compile_once),
        T(a_lock_that_is_held_is_waited_for_until_the_deadline),
        T(a_holder_that_shows_nothing_is_not_waited_for),
        T(the_cache_is_where_the_environment_says),
        T(a_target_counts_for_cuda_alone),
        T(every_allocation_failure_is_survived),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build", tests, NULL, NULL);
}

/* tests/unit/common/test_paths.c - where the program finds its own parts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"

/* A made-up home, removed again by tear_down(). */
static char home[] = "/tmp/osw-test-paths-XXXXXX";

static void make(const char *place)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", home, place);
    for (char *p = path + strlen(home) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    fclose(fopen(path, "w"));
}

static int set_up(void **state)
{
    (void)state;
    memcpy(home + strlen(home) - 6, "XXXXXX", 6);
    if (!mkdtemp(home))
        return -1;
    return setenv("OPSWEEP_HOME", home, 1);
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    unsetenv("OPSWEEP_HOME");
    snprintf(command, sizeof(command), "rm -rf '%s'", home);
    return system(command);
}

static void expect_below_home(const char *got, const char *place)
{
    assert_non_null(got);
    assert_int_equal(strncmp(got, home, strlen(home)), 0);
    assert_string_equal(got + strlen(home), place);
}

static void an_install_tree_is_a_home(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    make("libexec/opsweep/opsweep-sandbox");
    make("include/opsweep/op.h");
    make("share/opsweep/ops/library/x");
    expect_below_home(osw_paths_sandbox(&err),
                      "/libexec/opsweep/opsweep-sandbox");
    expect_below_home(osw_paths_include_dir(&err), "/include");
    expect_below_home(osw_paths_library_dir(&err),
                      "/share/opsweep/ops/library");
    assert_null(osw_paths_objects_dir(NULL));
    make("lib/opsweep/library-objects/x.so");
    expect_below_home(osw_paths_objects_dir(&err),
                      "/lib/opsweep/library-objects");
}

static void a_source_tree_is_a_home(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    make("build/opsweep-sandbox");
    make("include/opsweep/op.h");
    make("ops/library/x");
    expect_below_home(osw_paths_sandbox(&err), "/build/opsweep-sandbox");
    expect_below_home(osw_paths_include_dir(&err), "/include");
    expect_below_home(osw_paths_library_dir(&err), "/ops/library");
    make("build/library-objects/x.so");
    expect_below_home(osw_paths_objects_dir(&err), "/build/library-objects");
}

static void a_home_without_a_part_is_named_with_it(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char want[128];

    (void)state;
    make("include/other.h"); /* a folder of that name, not ours */
    snprintf(want, sizeof(want),
             "OPSWEEP_HOME='%s': no header opsweep/op.h there", home);
    assert_null(osw_paths_include_dir(&err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, want);
}

static void the_executable_finds_itself(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *self = osw_paths_self(&err);

    (void)state;
    assert_non_null(self);
    assert_string_equal(strrchr(self, '/'), "/test_paths");
    assert_int_equal(access(self, X_OK), 0);
}

static void *look_often(void *arg)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool *wrong = arg;

    for (int i = 0; i < 100000 && !*wrong; i++) {
        const char *path = osw_paths_sandbox(&err);

        *wrong = !path || strncmp(path, home, strlen(home)) != 0 ||
                 strcmp(path + strlen(home), "/opsweep-sandbox") != 0;
    }
    return NULL;
}

/* What a thread was given stays whole while others ask for it. */
static void several_threads_may_look(void **state)
{
    pthread_t threads[3];
    bool wrong[3] = {false};

    (void)state;
    make("opsweep-sandbox");
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, look_often, &wrong[i]), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(an_install_tree_is_a_home),
        T(a_source_tree_is_a_home),
        T(a_home_without_a_part_is_named_with_it),
        T(the_executable_finds_itself),
        T(several_threads_may_look),
#undef T
    };

    return cmocka_run_group_tests_name("common/paths", tests, NULL, NULL);
}

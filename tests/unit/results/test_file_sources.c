/* tests/unit/results/test_file_sources.c - files and environment of a run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/file_sources.h"
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

static osw_file_t *make(const struct folder *f,
                        const struct osw_run_source *sources, size_t n)
{
    static const char *const env[] = {"OPSWEEP_REVISION=abc", "HOME=/x", NULL};
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    osw_file_t *file;

    info.sources = sources;
    info.n_sources = n;
    info.n_planned = 0;
    info.env = env;
    run = osw_run_create(f->path, &info, true, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    return file;
}

static void sources_read_back_as_they_were_each_once(void **state)
{
    const struct osw_run_source sources[] = {
        {"add", "add_fast.c", {1, 2, 255}},
        {"add", "op.json", {3}},
        {"mm", "op.json", {3}},
    };
    struct osw_run_source *list = NULL;
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = make(*state, sources, 3);
    size_t n = 0;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(osw_file_sources(file, &list, &n, &err), 0);
        assert_int_equal(n, 3);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(list[i].op, sources[i].op);
        assert_string_equal(list[i].file, sources[i].file);
        assert_memory_equal(list[i].sha256, sources[i].sha256, 32);
    }
    assert_string_equal(osw_file_environment(file, "OPSWEEP_REVISION"), "abc");
    assert_null(osw_file_environment(file, "HOME"));
    free(list);
    osw_file_close(file);
}

static void a_run_without_sources_has_none(void **state)
{
    struct osw_run_source *list = NULL;
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = make(*state, NULL, 0);
    size_t n = 0;

    assert_int_equal(osw_file_sources(file, &list, &n, &err), 0);
    assert_int_equal(n, 0);
    assert_null(list);
    osw_file_close(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sources_read_back_as_they_were_each_once),
        TEST(a_run_without_sources_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

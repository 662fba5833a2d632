/* tests/unit/results/test_file_sources.c - files and environment of a run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/file/file_sources.h"
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

/* Each row is wrong in one way, and the message names the culprit. */
static void sources_that_differ_are_named(void **state)
{
    static const struct osw_run_source recorded[] = {
        {"add", "add_fast.c", {1}}, {"add", "op.json", {2}},
        {"mm", "mm_fast.c", {3}},   {"mm", "mm_fast.c", {4}},
        {"mul", "mul_fast.c", {0}},
    };
    static const struct {
        struct osw_run_source now[3];
        size_t n;
        const char *says; /* NULL: all is as recorded */
    } rows[] = {
        {{{"add", "add_fast.c", {1}}, {"add", "op.json", {2}}}, 2, NULL},
        {{{"add", "op.json", {2}}}, 1, NULL}, /* others are not asked for */
        {{{"add", "add_fast.c", {9}}, {"add", "op.json", {2}}},
         2,
         "'add_fast.c': expected SHA-256 0100000000000000... as"},
        {{{"add", "add_new.c", {1}}, {"add", "op.json", {2}}},
         2,
         "'add_new.c': expected SHA-256 nothing"},
        {{{"add", "add_fast.c", {1}}}, 1, "'op.json': expected SHA-256 02"},
        {{{"mm", "mm_fast.c", {3}}}, 1, "found several"},
        {{{"mul", "mul_fast.c", {0}}}, 1, "'mul_fast.c': expected"},
    };
    osw_file_t *file = make(*state, recorded, 5);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc =
            osw_file_sources_check(file, rows[i].now, rows[i].n, "/ops", &err);

        print_message("  row %zu: %s\n", i, err.text);
        assert_int_equal(rc, rows[i].says ? -1 : 0);
        if (rows[i].says) {
            assert_int_equal(err.status, OSW_BAD_INPUT);
            assert_non_null(strstr(err.text, rows[i].says));
        }
    }
    osw_file_close(file);
}

static void a_file_without_sources_proves_nothing(void **state)
{
    static const struct osw_run_source now = {"add", "op.json", {2}};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = make(*state, NULL, 0);

    assert_int_equal(osw_file_sources_check(file, &now, 1, "/ops", &err), -1);
    assert_non_null(strstr(err.text, "/sources, found none"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_file_sources_check(file, NULL, 0, "/ops", &err), 0);
    osw_file_close(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sources_read_back_as_they_were_each_once),
        TEST(a_run_without_sources_has_none),
        TEST(sources_that_differ_are_named),
        TEST(a_file_without_sources_proves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

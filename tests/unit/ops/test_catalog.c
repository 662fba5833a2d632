/* tests/unit/ops/test_catalog.c - roots of op folders */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/catalog/catalog.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char *const roots[] = {"tests/data/ops/good",
                                    "tests/data/ops/bad"};

struct fixture {
    osw_arena_t *arena;
    struct osw_catalog catalog;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static void ops_are_sorted_and_the_rest_is_left_out_with_words(void **state)
{
    static const char *const names[] = {"add.Tensor",
                                        "add_.Tensor",
                                        "lonely.default",
                                        "my.scale",
                                        "no_cases_in_list.default",
                                        "python.default"};
    static const struct {
        const char *folder, *why;
        bool broken;
    } left_out[] = {
        {"empty", "no gen_input.json or gen_input.py", false},
        {"bad_schema", "key 'schema'", true},
        {"misspelt_key", "'tolerence'", true},
    };
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 2, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, N_ELEM(names));
    for (size_t i = 0; i < N_ELEM(names); i++)
        assert_string_equal(f->catalog.ops[i].name, names[i]);
    assert_int_equal(f->catalog.n_left_out, N_ELEM(left_out));
    for (size_t i = 0; i < N_ELEM(left_out); i++) {
        assert_string_equal(f->catalog.left_out[i].folder, left_out[i].folder);
        assert_non_null(strstr(f->catalog.left_out[i].why, left_out[i].why));
        assert_int_equal(f->catalog.left_out[i].broken, left_out[i].broken);
    }
}

static void of_two_roots_the_first_wins(void **state)
{
    const char *const twice[] = {roots[0], roots[0]};
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, twice, 2, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, 5);
    assert_int_equal(f->catalog.n_left_out, 7); /* empty twice, and the ops */
    assert_non_null(strstr(f->catalog.left_out[1].why, "add.Tensor is '"));
    assert_false(f->catalog.left_out[1].broken);
}

static void write_op(const char *folder, const char *spec)
{
    char path[300];
    FILE *f;

    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof(path), "%s/op.json", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(spec, f);
    fclose(f);
    snprintf(path, sizeof(path), "%s/gen_input.json", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("{}", f);
    fclose(f);
}

static void of_twins_in_one_root_neither_is_an_op(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    char root[] = "/tmp/osw-catalog-XXXXXX", path[256];
    const char *const one[] = {root};
    struct fixture *f = *state;

    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < N_ELEM(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        write_op(path, i < 2 ? "{\"name\": \"same\"}" : "{}");
    }
    assert_int_equal(
        osw_catalog_scan(f->arena, one, 1, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, 1);
    assert_string_equal(f->catalog.ops[0].folder, "c");
    assert_int_equal(f->catalog.n_left_out, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct osw_left_out *out = &f->catalog.left_out[i];

        assert_true(out->broken);
        assert_string_equal(out->name, "same.default");
        assert_string_equal(out->folder, names[i]);
        assert_non_null(strstr(out->why, "/a' and '"));
        assert_non_null(strstr(out->why, "/b'"));
    }
    for (size_t i = 0; i < N_ELEM(names); i++) {
        snprintf(path, sizeof(path), "%s/%s/op.json", root, names[i]);
        (void)unlink(path);
        snprintf(path, sizeof(path), "%s/%s/gen_input.json", root, names[i]);
        (void)unlink(path);
        snprintf(path, sizeof(path), "%s/%s", root, names[i]);
        (void)rmdir(path);
    }
    (void)rmdir(root);
}

static void touch(const char *folder, const char *file)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void a_folder_of_headers_alone_is_passed_over(void **state)
{
    static const char *const files[] = {"/headers/a.h", "/headers/b.cuh",
                                        "/mixed/a.h",   "/mixed/a.c",
                                        "/headers",     "/mixed"};
    char root[] = "/tmp/osw-catalog-XXXXXX", path[256];
    const char *const one[] = {root};
    struct fixture *f = *state;

    assert_non_null(mkdtemp(root));
    for (size_t i = 4; i < 6; i++) {
        snprintf(path, sizeof(path), "%s%s", root, files[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < 4; i++)
        touch(root, files[i] + 1);
    assert_int_equal(
        osw_catalog_scan(f->arena, one, 1, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, 0);
    assert_int_equal(f->catalog.n_left_out, 1);
    assert_string_equal(f->catalog.left_out[0].folder, "mixed");
    for (size_t i = 0; i < N_ELEM(files); i++) {
        snprintf(path, sizeof(path), "%s%s", root, files[i]);
        (void)remove(path);
    }
    (void)rmdir(root);
}

/* Neither fails a campaign of the other folders, whatever it is called. */
static void
a_folder_without_op_and_a_link_to_nothing_are_not_broken(void **state)
{
    char root[] = "/tmp/osw-catalog-XXXXXX", command[400];
    const char *const one[] = {root};
    struct fixture *f = *state;

    assert_non_null(mkdtemp(root));
    snprintf(command, sizeof(command),
             "cd '%s' && mkdir my-notes my-op && touch my-notes/README.md && "
             "echo '{}' >my-op/op.json && ln -s nowhere gone",
             root);
    assert_int_equal(system(command), 0);
    assert_int_equal(
        osw_catalog_scan(f->arena, one, 1, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, 0);
    assert_int_equal(f->catalog.n_left_out, 3);
    assert_string_equal(f->catalog.left_out[0].folder, "gone");
    assert_string_equal(f->catalog.left_out[0].why, "link to nothing");
    assert_false(f->catalog.left_out[0].broken);
    assert_string_equal(f->catalog.left_out[1].folder, "my-notes");
    assert_string_equal(f->catalog.left_out[1].why,
                        "no gen_input.json or gen_input.py");
    assert_false(f->catalog.left_out[1].broken);
    assert_string_equal(f->catalog.left_out[2].folder, "my-op");
    assert_true(f->catalog.left_out[2].broken);
    snprintf(command, sizeof(command), "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
}

/* root/mine_v1/a, root/mine_v1/b, root/mine_v2/b, root/c, root/d/e */
static void ops_under_a_folder_that_is_none_are_found(void **state)
{
    static const char *const parents[] = {"mine_v1", "mine_v2", "d"};
    static const char *const ops[] = {"mine_v1/a", "mine_v1/b", "mine_v2/b",
                                      "c", "mine_v1/none"};
    char root[] = "/tmp/osw-catalog-XXXXXX", path[256], command[300];
    const char *const one[] = {root};
    struct fixture *f = *state;

    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < N_ELEM(parents); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, parents[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < N_ELEM(ops); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, ops[i]);
        if (i < 4)
            write_op(path, "{}");
        else
            assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_int_equal(
        osw_catalog_scan(f->arena, one, 1, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(f->catalog.n_ops, 2);
    assert_string_equal(f->catalog.ops[0].name, "a.default");
    assert_non_null(strstr(f->catalog.ops[0].dir, "/mine_v1/a"));
    assert_string_equal(f->catalog.ops[1].name, "c.default");
    assert_int_equal(f->catalog.n_left_out, 4);
    assert_non_null(strstr(f->catalog.left_out[0].path, "/d"));
    assert_non_null(strstr(f->catalog.left_out[1].path, "/mine_v1/none"));
    for (size_t i = 2; i < 4; i++) {
        const char *why = f->catalog.left_out[i].why;

        assert_true(f->catalog.left_out[i].broken);
        assert_non_null(strstr(why, "/mine_v1/b' and '"));
        assert_non_null(strstr(why, "/mine_v2/b': expected one; remove one, "));
        assert_non_null(strstr(why, "take one of their parents as the root"));
    }
    snprintf(command, sizeof(command), "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
}

static void ops_are_found_by_any_name(void **state)
{
    static const struct {
        const char *name, *want;
    } rows[] = {
        /* clang-format off */
        { "my.scale",        "my.scale" },
        { "scale",           "my.scale" },
        { "aten.add.Tensor", "add.Tensor" },
        { "add___Tensor",    "add_.Tensor" },
        { "lonely",          "lonely.default" },
        { "mul",             NULL },
        { "",                NULL },
        /* clang-format on */
    };
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 1, "cpu", &f->catalog, &f->err), 0);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_op *op = osw_catalog_find(&f->catalog, rows[i].name);

        print_message("  %s\n", rows[i].name);
        if (rows[i].want)
            assert_string_equal(op->name, rows[i].want);
        else
            assert_null(op);
    }
}

static void filters_take_any_name_and_exclude(void **state)
{
    static const struct {
        const char *patterns[2];
        size_t n;
        const char *want; /* the folders that are in, in order of names */
    } rows[] = {
        /* clang-format off */
        { { NULL },             0, "add__Tensor add___Tensor lonely scale python " },
        { { "my.scale" },       1, "scale " },
        { { "scale", "lonely"}, 2, "lonely scale " },
        { { "my.rescale" },     1, "scale " },
        { { "aten.add.Tensor"}, 1, "add__Tensor " },
        { { "add*" },           1, "add__Tensor add___Tensor " },
        { { "add*", "!add_.*"}, 2, "add__Tensor " },
        { { "add" },            1, "" }, /* see overload.h */
        { { "my::scale" },      1, "scale " },
        { { "aten::add.Tensor"},1, "add__Tensor " },
        { { "!add.Tensor", "!python" }, 2, "add___Tensor lonely scale " },
        { { "ad" },             1, "" },
        { { "!python", "!s*" }, 2, "add__Tensor add___Tensor lonely " },
        /* clang-format on */
    };
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 1, "cpu", &f->catalog, &f->err), 0);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        char got[256] = "";

        for (size_t k = 0; k < f->catalog.n_ops; k++)
            if (osw_catalog_wants(&f->catalog.ops[k], rows[i].patterns,
                                  rows[i].n))
                strcat(strcat(got, f->catalog.ops[k].folder), " ");
        assert_string_equal(got, rows[i].want);
    }
}

static void a_name_nobody_has_is_an_error_with_the_nearest(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 1, "cpu", &f->catalog, &f->err), 0);
    assert_int_equal(osw_catalog_check(&f->catalog, "scale", &f->err), 0);
    assert_int_equal(osw_catalog_check(&f->catalog, "empty", &f->err), 0);
    assert_int_equal(osw_catalog_check(&f->catalog, "s*e", &f->err), 0);
    assert_int_equal(osw_catalog_check(&f->catalog, "scael", &f->err), -1);
    assert_string_equal(f->err.text, "no op 'scael' (did you mean 'scale'?)");
    f->err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_catalog_check(&f->catalog, "z*", &f->err), -1);
    assert_string_equal(f->err.text, "no op 'z*'");
}

static void a_root_that_is_not_there_is_an_error(void **state)
{
    const char *const nowhere = "tests/data/ops/nowhere";
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, &nowhere, 1, "cpu", &f->catalog, &f->err),
        -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, nowhere));
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_catalog catalog;
        osw_arena_t *arena;
        int rc = -1;

        chaos_arm(failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_catalog_scan(arena, roots, 1, "cpu", &catalog, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(ops_are_sorted_and_the_rest_is_left_out_with_words),
        T(of_two_roots_the_first_wins),
        T(of_twins_in_one_root_neither_is_an_op),
        T(a_folder_of_headers_alone_is_passed_over),
        T(a_folder_without_op_and_a_link_to_nothing_are_not_broken),
        T(ops_under_a_folder_that_is_none_are_found),
        T(ops_are_found_by_any_name),
        T(filters_take_any_name_and_exclude),
        T(a_name_nobody_has_is_an_error_with_the_nearest),
        T(a_root_that_is_not_there_is_an_error),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/catalog", tests, NULL, NULL);
}

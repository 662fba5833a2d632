/* tests/unit/ops/test_op_symbol.c - Python files that define a function */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/catalog/op_symbol.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void definitions_on_the_top_level_are_seen(void **state)
{
    static const struct {
        const char *text;
        bool yes;
    } rows[] = {
        {"def f(x):\n    return x\n", true},
        {"import torch\n\ndef  f (x): pass", true},
        {"class f:\n", true},
        {"f = g\n", true},
        {"f=g", true},
        {"f: object = g\n", true},
        {"", false},
        {"def g(x):\n    def f(x):\n", false},
        {"def ff(x):\n", false},
        {"f == g\n", false},
        {"f(1)\n", false},
        {"# def f(x)\n", false},
        {"define f\n", false},
        {"def\n", false},
        {"f", false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s\n", rows[i].text);
        assert_int_equal(
            rows[i].yes,
            osw_op_symbol_defined(rows[i].text, strlen(rows[i].text), "f"));
    }
}

static void a_file_is_an_implementation_by_what_it_defines(void **state)
{
    static const struct {
        const char *file, *text, *want;
    } rows[] = {
        {"fast.py", "def op_kernel_impl(x): pass\n", "fast"},
        {"fast-2.py", "op_kernel_impl = 1\n", "fast-2"},
        {"helper.py", "def helper(x): pass\n", NULL},
        {"reference.py", "def op_kernel_impl(x): pass\n", NULL},
        {"fast.c", "def op_kernel_impl(x): pass\n", NULL},
        {"a b.py", "def op_kernel_impl(x): pass\n", NULL},
    };
    osw_arena_t *arena = osw_arena_create();
    char root[] = "/tmp/osw-symbol-XXXXXX", path[300];

    (void)state;
    assert_non_null(arena);
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got;
        FILE *f;

        snprintf(path, sizeof(path), "%s/%s", root, rows[i].file);
        f = fopen(path, "w");
        assert_non_null(f);
        fputs(rows[i].text, f);
        fclose(f);
        got = osw_op_symbol_impl(arena, path, "op");
        print_message("  %s\n", rows[i].file);
        if (rows[i].want)
            assert_string_equal(rows[i].want, got);
        else
            assert_null(got);
        assert_int_equal(0, unlink(path));
    }
    assert_null(osw_op_symbol_impl(arena, "/nowhere/fast.py", "op"));
    assert_int_equal(0, rmdir(root));
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_on_the_top_level_are_seen),
        cmocka_unit_test(a_file_is_an_implementation_by_what_it_defines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

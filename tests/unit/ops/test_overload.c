/* tests/unit/ops/test_overload.c - the one op that a name without its overload
 * means
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/cases/overload.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_op ops[] = {
    {.name = "add.Mine", .folder = "add__Mine"},
    {.name = "aten.div.Scalar", .folder = "div__Scalar"},
    {.name = "aten.div.Tensor", .folder = "div__Tensor"},
    {.name = "aten.mul.Tensor", .folder = "mul__Tensor"},
    {.name = "aten.relu.default", .folder = "relu"},
    {.name = "aten.relu.out", .folder = "relu__out"},
    {.name = "prims.neg.x", .folder = "prims.neg.x"},
};
static const struct osw_catalog catalog = {.ops = ops, .n_ops = N_ELEM(ops)};

/* What a trace calls, each as often as it does. */
static const char *const calls[] = {"aten.add.Tensor", "aten.div.Tensor",
                                    "aten.sub.Tensor", "aten.div.Tensor",
                                    "aten.sub.Scalar"};

struct row {
    const char *pattern, *of_catalog, *of_calls; /* NULL: refused */
};

static const struct row rows[] = {
    /* clang-format off */
    { "mul",         "aten.mul.Tensor",  "aten.mul.Tensor" },
    { "aten.mul",    "aten.mul.Tensor",  "aten.mul.Tensor" },
    { "!mul",        "!aten.mul.Tensor", "!aten.mul.Tensor" },
    { "add",         "add.Mine",         "aten.add.Tensor" }, /* the trace's */
    { "aten.add",    "add.Mine",         "aten.add.Tensor" },
    { "div",         NULL,               "aten.div.Tensor" },
    { "!div",        NULL,               "!aten.div.Tensor" },
    { "sub",         "sub",              NULL },
    { "relu",        "relu",             "relu" }, /* a folder, and default */
    { "div.*",       "div.*",            "div.*" },
    { "div__Scalar", "div__Scalar",      "div__Scalar" },
    { "aten.sub.Scalar", "aten.sub.Scalar", "aten.sub.Scalar" },
    { "sub.Scalar",  "sub.Scalar",       "sub.Scalar" },
    { "neg",         "neg",              "neg" }, /* another namespace's */
    { "prims.neg",   "prims.neg.x",      "prims.neg.x" },
    { "ad",          "ad",               "ad" },
    { "aten",        "aten",             "aten" },
    /* clang-format on */
};

static void check(const char *pattern, size_t n_names, const char *want)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    const char *const *out = NULL;
    int rc = osw_overload_resolve(arena, &catalog, calls, n_names, &pattern, 1,
                                  &out, &err);

    print_message("  case: %s of %zu calls\n", pattern, n_names);
    assert_int_equal(rc, want ? 0 : -1);
    if (want)
        assert_string_equal(out[0], want);
    else
        assert_int_equal(err.status, OSW_BAD_INPUT);
    osw_arena_destroy(arena);
}

static void a_name_means_its_one_overload(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        check(rows[i].pattern, 0, rows[i].of_catalog);
        check(rows[i].pattern, N_ELEM(calls), rows[i].of_calls);
    }
}

static void several_are_listed(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    const char *const pattern = "aten.sub";
    const char *const *out;

    (void)state;
    assert_int_equal(osw_overload_resolve(arena, &catalog, calls, N_ELEM(calls),
                                          &pattern, 1, &out, &err),
                     -1);
    assert_string_equal(err.text,
                        "option '--ops': 'aten.sub': 2 overloads match: "
                        "sub.Tensor, sub.Scalar; name one, or use 'sub.*' for "
                        "all");
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_means_its_one_overload),
        cmocka_unit_test(several_are_listed),
    };

    return cmocka_run_group_tests_name("ops/overload", tests, NULL, NULL);
}

/* tests/unit/ops/test_expr.c - small arithmetic over the arguments of a case */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/inputs/expr.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* arg0: tensor, arg1: list of integers, arg2: float, arg3: None, arg4: list of
 * tensors, arg5: bool, alpha: int.
 */
static const char case_text[] =
    "((T([4, 8, 16], f16), [2, 3, 5], 2.5, None, "
    "[T([2], f32), T([3], i64)], True), {'alpha': 7})";

struct fixture {
    osw_arena_t *arena;
    struct osw_case parsed;
    struct osw_bound_arg *args;
    struct osw_expr_env env;
};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    assert_int_equal(osw_notation_parse_case(f.arena, case_text,
                                             strlen(case_text), &f.parsed,
                                             NULL),
                     0);
    assert_int_equal(
        osw_bind(f.arena, NULL, &f.parsed, &f.args, &f.env.n_args, NULL), 0);
    f.env.args = f.args;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    osw_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static void values_match_a_table_worked_by_hand(void **state)
{
    static const struct {
        const char *text;
        double want;
    } rows[] = {
        /* clang-format off */
        { "42",                           42 },
        { "1.5e3",                        1500 },
        { ".5",                           0.5 },
        { "2 + 3 * 4",                    14 },
        { "(2 + 3) * 4",                  20 },
        { "7 - 2 - 1",                    4 },
        { "12 / 3 / 2",                   2 },
        { "-2 * -3",                      6 },
        { "--5",                          5 },
        { "1 - -1",                       2 },
        { "min(3, 1 + 1)",                2 },
        { "max(min(9, 8), 5)",            8 },
        { "numel(arg0)",                  512 },
        { "numel(arg4)",                  5 },
        { "numel(arg3)",                  0 },
        { "numel(alpha)",                 1 },
        { "dim(arg0, 0)",                 4 },
        { "dim(arg0, -1)",                16 },
        { "dim(arg0, 3 - 2)",             8 },
        { "inner(arg0, 0)",               128 },
        { "inner(arg0, -2)",              16 },
        { "inner(arg0, 2)",               1 },
        { "ndim(arg0)",                   3 },
        { "len(arg1)",                    3 },
        { "len(arg3)",                    0 },
        { "prod(arg1)",                   30 },
        { "bytes(arg0)",                  1024 },
        { "bytes(arg4)",                  32 },
        { "arg2",                         2.5 },
        { "arg5 + alpha",                 8 },
        { " 2*numel( arg0 )*dim(arg0,-1) ", 16384 },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        double got = -1;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_expr_eval(rows[i].text, strlen(rows[i].text),
                                       &f->env, &got, &err),
                         0);
        assert_true(got == rows[i].want);
    }
}

static void what_is_wrong_is_named_by_column(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        /* clang-format off */
        { "",             "column 1: expected a number, a name or '(', found the end" },
        { "2 +",          "column 4: expected a number, a name or '(', found the end" },
        { "2 3",          "column 3: expected an operator or the end, found '3'" },
        { "2 + * 3",      "column 5: expected a number, a name or '(', found '*'" },
        { "(2",           "column 3: expected ')', found the end" },
        { "1e",           "column 2: expected an operator after the number, found 'e'" },
        { "0x10",         "column 2: expected an operator after the number, found 'x'" },
        { "1.2.3",        "column 4: expected an operator after the number, found '.'" },
        { "1e999",        "column 1: expected a number, found '1'" },
        { "9007199254740993", "column 1: expected a number that float64 holds, such as 9007199254740992, found 9007199254740993" },
        { "nan",          "column 1: expected an argument of the op, found 'nan'" },
        { "weight",       "column 1: expected an argument of the op, found 'weight'" },
        { "numel(weight)", "column 7: expected an argument of the op, found 'weight'" },
        { "numel(2)",     "column 7: expected the name of an argument, found '2'" },
        { "numel arg0",   "column 1: expected an argument of the op, found 'numel'" },
        { "size(arg0)",   "expected one of min, max, numel, dim, inner, ndim, len, prod, bytes, found 'size'" },
        { "min(1)",       "column 6: expected ',', found ')'" },
        { "dim(arg0)",    "column 9: expected ',', found ')'" },
        { "inner(arg0, 3)", "expected a tensor with dimension 3, argument 'arg0' is T([4, 8, 16], f16)" },
        { "dim(arg0, 3)", "expected a tensor with dimension 3, argument 'arg0' is T([4, 8, 16], f16)" },
        { "dim(arg0, -4)", "expected a tensor with dimension -4, argument 'arg0' is T([4, 8, 16], f16)" },
        { "dim(arg0, 0.5)", "expected a tensor with dimension 0.5, argument 'arg0' is T([4, 8, 16], f16)" },
        { "dim(arg3, 0)", "expected a tensor with dimension 0, argument 'arg3' is None" },
        { "ndim(arg2)",   "expected a tensor, argument 'arg2' is 2.5" },
        { "len(arg0)",    "expected a list, argument 'arg0' is T([4, 8, 16], f16)" },
        { "prod(arg4)",   "expected a list of numbers, argument 'arg4' is [T([2], f32), T([3], i64)]" },
        { "arg0",         "column 1: expected a number, argument 'arg0' is T([4, 8, 16], f16)" },
        { "arg3 + 1",     "column 1: expected a number, argument 'arg3' is None" },
        { "1 / (2 - 2)",  "column 3: division by zero" },
        { "1e300 * 1e300", "the expression is not finite" },
        { "2 \x01",       "column 3: expected an operator or the end, found byte 0x01" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        double got = 7;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_expr_eval(rows[i].text, strlen(rows[i].text),
                                       &f->env, &got, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
        assert_true(got == 7); /* untouched */
    }
}

static void nesting_is_bounded(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    char text[1000];
    double got;

    memset(text, '(', sizeof(text));
    assert_int_equal(osw_expr_eval(text, sizeof(text), &f->env, &got, &err),
                     -1);
    assert_non_null(strstr(err.text, "levels of nesting"));
    err = (struct osw_error)OSW_ERROR_INIT;
    memset(text, '-', sizeof(text));
    assert_int_equal(osw_expr_eval(text, sizeof(text), &f->env, &got, &err),
                     -1);
    assert_non_null(strstr(err.text, "levels of nesting"));
}

static void width_is_no_depth(void **state)
{
    struct fixture *f = *state;
    char text[2000];
    double got;

    for (size_t i = 0; i < sizeof(text); i += 4)
        memcpy(text + i, "(1)+", 4);
    assert_int_equal(osw_expr_eval(text, sizeof(text) - 1, &f->env, &got, NULL),
                     0);
    assert_true(got == 500);
}

static void a_prefix_ends_where_the_expression_does(void **state)
{
    struct fixture *f = *state;
    const char text[] = "f(2 * 3 , 4)";
    size_t at = 2;
    double got;

    assert_int_equal(
        osw_expr_eval_prefix(text, strlen(text), &at, &f->env, &got, NULL), 0);
    assert_true(got == 6);
    assert_int_equal(at, 8); /* the comma */
}

static void syntax_is_checked_without_arguments(void **state)
{
    static const char good[] = "2 * dim(weight, n - 1) / (beta - 1)";
    static const char bad[] = "2 * dim(weight)";
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_expr_check(good, strlen(good), NULL, NULL, &err), 0);
    assert_int_equal(osw_expr_check(bad, strlen(bad), NULL, NULL, &err), -1);
    assert_string_equal(err.text, "column 15: expected ',', found ')'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(values_match_a_table_worked_by_hand),
        T(what_is_wrong_is_named_by_column),
        T(nesting_is_bounded),
        T(width_is_no_depth),
        T(a_prefix_ends_where_the_expression_does),
        T(syntax_is_checked_without_arguments),
#undef T
    };

    return cmocka_run_group_tests_name("ops/expr", tests, NULL, NULL);
}

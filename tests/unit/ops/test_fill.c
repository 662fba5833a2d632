/* tests/unit/ops/test_fill.c - fills as text: parsed, printed, resolved */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.arena = osw_arena_create()};
    assert_non_null(f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    osw_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static size_t bind(struct fixture *f, const char *text,
                   struct osw_bound_arg **args)
{
    struct osw_case *parsed = osw_arena_alloc(f->arena, sizeof(*parsed));
    size_t n = 0;

    assert_non_null(parsed);
    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), parsed, &f->err),
        0);
    assert_int_equal(osw_bind(f->arena, NULL, parsed, args, &n, &f->err), 0);
    return n;
}

static void every_kind_is_read_and_printed_canonically(void **state)
{
    static const struct {
        const char *text;
        enum osw_fill_kind kind;
        double a, b;
        const char *canonical;
    } rows[] = {
        /* clang-format off */
        { "normal",            OSW_FILL_NORMAL,      0, 0,     "normal" },
        { "uniform",           OSW_FILL_UNIFORM,     0, 0,     "uniform" },
        { "positive",          OSW_FILL_POSITIVE,    0, 0,     "positive" },
        { "smallint(2)",       OSW_FILL_SMALLINT,    2, 0,     "smallint(2)" },
        { "smallint(0)",       OSW_FILL_SMALLINT,    0, 0,     "smallint(0)" },
        { " int( -8 , 4+4 ) ", OSW_FILL_INT,        -8, 8,     "int(-8,8)" },
        { "index(1)",          OSW_FILL_INDEX,       1, 0,     "index(1)" },
        { "bool",              OSW_FILL_BOOL,        0, 0,     "bool" },
        { "special",           OSW_FILL_SPECIAL,     0, 0,     "special" },
        { "wide",              OSW_FILL_WIDE,        0, 0,     "wide" },
        { "ties",              OSW_FILL_TIES,        0, 0,     "ties" },
        { "unit",              OSW_FILL_UNIT,        0, 0,     "unit" },
        { "ascending(-2, 2.5)", OSW_FILL_ASCENDING, -2, 2.5,   "ascending(-2,2.5)" },
        { "ascending(9007199254740992, 9007199254740994)", OSW_FILL_ASCENDING,
          0x1p53, 0x1p53 + 2, "ascending(9007199254740992,9007199254740994)" },
        { "constant(9223372036854775807)", OSW_FILL_CONSTANT, 0x1p63, 0,
          "constant(9.223372036854776e+18)" },
        { "constant(-09223372036854775808)", OSW_FILL_CONSTANT, -0x1p63, 0,
          "constant(-9.223372036854776e+18)" },
        { "ascending(3, 3)",   OSW_FILL_ASCENDING,   3, 3,     "ascending(3,3)" },
        { "shares(12)",        OSW_FILL_SHARES,      12, 0,    "shares(12)" },
        { "distinct(9, 5)",    OSW_FILL_DISTINCT,    9, 5,     "distinct(9,5)" },
        { "permutation",       OSW_FILL_PERMUTATION, 0, 0,     "permutation" },
        { "constant(0.1)",     OSW_FILL_CONSTANT,    0.1, 0,   "constant(0.1)" },
        { "constant(-0)",      OSW_FILL_CONSTANT,    0, 0,     "constant(0)" },
        { "constant(1e300)",   OSW_FILL_CONSTANT,    1e300, 0, "constant(1e+300)" },
        { "constant( -inf )",  OSW_FILL_CONSTANT,    -INFINITY, 0, "constant(-inf)" },
        { "constant(inf)",     OSW_FILL_CONSTANT,    INFINITY, 0, "constant(inf)" },
        { "offset(2/3)",       OSW_FILL_OFFSET,      2.0 / 3, 0,
          "offset(0.6666666666666666)" },
        /* clang-format on */
    };
    (void)state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_text out = OSW_TEXT_INIT;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_fill got, again;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_fill_parse(rows[i].text, strlen(rows[i].text),
                                        NULL, 0, &got, &err),
                         0);
        assert_int_equal(got.kind, rows[i].kind);
        assert_true(got.a == rows[i].a && got.b == rows[i].b);
        osw_fill_print(&out, &got);
        assert_string_equal(osw_text_str(&out), rows[i].canonical);
        assert_int_equal(
            osw_fill_parse(out.data, out.used, NULL, 0, &again, &err), 0);
        assert_true(again.kind == got.kind && again.a == got.a &&
                    again.b == got.b);
        osw_text_free(&out);
    }
}

static void what_is_wrong_is_named_by_column(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        /* clang-format off */
        { "",                "column 1: expected one of normal uniform" },
        { "norml",           "found 'norml'" },
        { "normal(1)",       "column 7: expected the end of the fill, found '(1)'" },
        { "smallint",        "column 9: expected '(', found the end" },
        { "smallint(-1)",    "smallint(q) needs a whole q >= 0, found -1" },
        { "smallint(0.5)",   "smallint(q) needs a whole q >= 0, found 0.5" },
        { "int(3)",          "column 6: expected ',', found ')'" },
        { "int(3, 1)",       "int(lo, hi) needs whole lo <= hi, found 3, 1" },
        { "int(0.5, 1)",     "int(lo, hi) needs whole lo <= hi, found 0.5, 1" },
        { "index(-1)",       "index(n) needs a whole n >= 0, found -1" },
        { "index(1e17)",     "index(n) needs a whole n >= 0, found 1e+17" },
        { "shares(-1)",      "shares(n) needs a whole n >= 0, found -1" },
        { "ascending(2, 1)", "ascending(lo, hi) needs lo <= hi, found 2, 1" },
        { "ascending(0, 9007199254740993)", "column 14: expected a number that float64 holds, such as 9007199254740992, found 9007199254740993" },
        { "constant(-9223372036854775807)", "column 11: expected a number that float64 holds, such as 9223372036854775808, found 9223372036854775807" },
        { "distinct(9, 0)",  "distinct(n, run) needs whole n >= 0 and run >= 1, found 9, 0" },
        { "distinct(0.5, 1)", "distinct(n, run) needs whole n >= 0 and run >= 1, found 0.5, 1" },
        { "index(4",         "column 8: expected ')', found the end" },
        { "index(weight)",   "column 7: expected an argument of the op, found 'weight'" },
        { "constant()",      "column 10: expected a number" },
        { "constant(infinity)", "column 10: expected an argument of the op, found 'infinity'" },
        { "smallint(inf)",   "column 10: expected an argument of the op, found 'inf'" },
        /* clang-format on */
    };
    (void)state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_fill got = {OSW_FILL_BOOL, 0, 0};
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_fill_parse(rows[i].text, strlen(rows[i].text),
                                        NULL, 0, &got, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
        assert_int_equal(got.kind, OSW_FILL_BOOL); /* untouched */
    }
}

static void arguments_are_expressions_over_the_case(void **state)
{
    struct fixture *f = *state;
    const char text[] = "index(dim(arg0, 0) - 1)";
    struct osw_bound_arg *args;
    size_t n = bind(f, "((T([30522, 768], f16), T([4], i64)), {})", &args);
    struct osw_fill got;

    assert_int_equal(osw_fill_parse(text, strlen(text), args, n, &got, &f->err),
                     0);
    assert_int_equal(got.kind, OSW_FILL_INDEX);
    assert_true(got.a == 30521);
}

static void syntax_is_checked_without_a_case(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(osw_fill_check("index(dim(weight, 0))", NULL, &f->err), 0);
    assert_int_equal(osw_fill_check("index(dim(weight))", NULL, &f->err), -1);
    assert_non_null(strstr(f->err.text, "column 17: expected ','"));
}

static void lists_are_the_identity_when_canonical(void **state)
{
    static const char *const rows[] = {
        "",
        "normal",
        "normal,index(30522)",
        "int(-8,8),bool,offset(0.1),int(0,8)",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_fill *fills;
        size_t n;

        assert_int_equal(osw_fill_list_parse(f->arena, rows[i], strlen(rows[i]),
                                             &fills, &n, &f->err),
                         0);
        assert_string_equal(osw_fill_list_text(f->arena, fills, n), rows[i]);
    }
}

static void bad_lists_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        /* clang-format off */
        { ",normal",         "column 1: expected one of" },
        { "normal,",         "column 8: expected one of" },
        { "normal normal",   "column 8: expected ',' or the end, found 'normal'" },
        { "normal;bool",     "column 7: expected ',' or the end, found ';bool'" },
        { "index(numel(x))", "column 13: expected an argument of the op" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        const struct osw_fill *fills;
        size_t n;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_fill_list_parse(f->arena, rows[i].text,
                                             strlen(rows[i].text), &fills, &n,
                                             &err),
                         -1);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
}

/* One tensor of every dtype: floats normal, integers int(-8, 8), u8 int(0, 8),
 * b8 bool.
 */
static void defaults_follow_the_dtype(void **state)
{
    struct fixture *f = *state;
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    size_t n_args, n;

    n_args = bind(f,
                  "((T([1], f64), T([1], bf16), T([1], i64), T([1], i8), "
                  "T([1], u8), T([1], b8), T([1], c64), 3, [T([1], f16)]), "
                  "{'out': T([1], i16)})",
                  &args);
    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, NULL, 0, &fills, &n, &f->err),
        0);
    assert_string_equal(osw_fill_list_text(f->arena, fills, n),
                        "normal,normal,int(-8,8),int(-8,8),int(0,8),bool,"
                        "normal,normal,int(-8,8)");
}

/* Into nothing there is no index: an empty tensor of them is as good. */
static void index_of_nothing_is_for_empty_tensors(void **state)
{
    static const struct osw_fill_rule rules[] = {
        {"arg1", "index(dim(arg0, 0))"}};
    struct fixture *f = *state;
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    size_t n_args, n;

    n_args = bind(f, "((T([0, 4], f32), T([0], i64)), {})", &args);
    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, rules, 1, &fills, &n, &f->err),
        0);
    assert_string_equal(osw_fill_list_text(f->arena, fills, n),
                        "normal,index(0)");
    n_args = bind(f, "((T([0, 4], f32), T([3], i64)), {})", &args);
    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, rules, 1, &fills, &n, &f->err),
        -1);
    assert_string_equal(f->err.text,
                        "fill for 'arg1': index(0) has no index for a tensor "
                        "of 3 elements: expected an empty one");
}

static void integers_are_no_infinity(void **state)
{
    static const struct osw_fill_rule rules[] = {{"arg0", "constant(nan)"},
                                                 {"arg1", "constant(-inf)"}};
    struct fixture *f = *state;
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    size_t n_args, n;

    n_args = bind(f, "((T([2], f16), T([3], c64)), {})", &args);
    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, rules, 2, &fills, &n, &f->err),
        0);
    assert_string_equal(osw_fill_list_text(f->arena, fills, n),
                        "constant(nan),constant(-inf)");
    n_args = bind(f, "((T([2], f16), T([3], i8)), {})", &args);
    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, rules, 2, &fills, &n, &f->err),
        -1);
    assert_string_equal(f->err.text,
                        "fill for 'arg1': constant(-inf): expected a finite "
                        "number for a tensor of i8");
}

static void the_first_rule_that_names_an_argument_wins(void **state)
{
    static const struct osw_fill_rule rules[] = {
        {"arg1", "index(dim(arg0, 0))"},
        {"arg1", "int(0, 1)"},
        {"out", "smallint(1)"},
    };
    struct fixture *f = *state;
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    size_t n_args, n;

    n_args = bind(f,
                  "((T([7, 3], f32), [T([2], i64), T([5], i32)]), "
                  "{'out': T([2, 3], f32)})",
                  &args);
    assert_int_equal(osw_fill_resolve(f->arena, args, n_args, rules,
                                      N_ELEM(rules), &fills, &n, &f->err),
                     0);
    assert_string_equal(osw_fill_list_text(f->arena, fills, n),
                        "normal,index(7),index(7),smallint(1)");
}

static void a_rule_for_no_argument_is_an_error(void **state)
{
    static const struct osw_fill_rule rule = {"weight", "normal"};
    struct fixture *f = *state;
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    size_t n_args = bind(f, "((T([7], f32),), {})", &args), n;

    assert_int_equal(
        osw_fill_resolve(f->arena, args, n_args, &rule, 1, &fills, &n, &f->err),
        -1);
    assert_string_equal(
        f->err.text, "fill for 'weight': expected an argument of the op: arg0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_read_and_printed_canonically),
        cmocka_unit_test(what_is_wrong_is_named_by_column),
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(arguments_are_expressions_over_the_case),
        T(syntax_is_checked_without_a_case),
        T(lists_are_the_identity_when_canonical),
        T(bad_lists_are_refused),
        T(defaults_follow_the_dtype),
        T(index_of_nothing_is_for_empty_tensors),
        T(integers_are_no_infinity),
        T(the_first_rule_that_names_an_argument_wins),
        T(a_rule_for_no_argument_is_an_error),
#undef T
    };

    return cmocka_run_group_tests_name("ops/fill", tests, NULL, NULL);
}

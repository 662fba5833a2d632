/* tests/unit/ops/test_shape_expr.c - shapes and dtypes of outputs, as
 * expressions
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/inputs/shape_expr.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char schema_text[] =
    "f(Tensor x, Tensor w, Tensor[] xs, int n, int[] dims, int[1]? none, "
    "bool keep, float a, ScalarType? dtype=None, ScalarType? given=None, "
    "Tensor? z=None, int? k=None, float[]? by=None, float[]? unset=None, "
    "str? mode=None, str? word=None, Tensor[] ys=[], Tensor[] empty=[]) -> "
    "Tensor";
static const char case_text[] =
    "((T([4, 8, 16], f16), T([8, 1], i32), [T([2], f32), T([3, 5], i64)], 7, "
    "[-1, 0], None, True, 2.5, None, f64, T([], i16), None, [2.5, 2, 0.1], "
    "None, None, "
    "'floor', [T([0], f16), T([2, 3], b8), T([2, 4], i32)], [T([0], f32)]), "
    "{})";

struct fixture {
    osw_arena_t *arena;
    struct osw_schema schema;
    struct osw_shape_env env;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct osw_bound_arg *args;
    struct osw_case parsed;
    size_t n;

    memset(&f, 0, sizeof(f));
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    assert_int_equal(osw_schema_parse(f.arena, schema_text, strlen(schema_text),
                                      &f.schema, NULL),
                     0);
    assert_int_equal(osw_notation_parse_case(f.arena, case_text,
                                             strlen(case_text), &parsed, NULL),
                     0);
    assert_int_equal(osw_bind(f.arena, &f.schema, &parsed, &args, &n, NULL), 0);
    f.env = (struct osw_shape_env){&f.schema, args};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_arena_destroy(f->arena);
    return 0;
}

static void shape_text(const struct osw_output_shape *s, char *out, size_t size)
{
    int n = snprintf(out, size, "%s [", osw_dtype_info((int)s->dtype)->name);

    for (int32_t d = 0; d < s->ndim; d++)
        n += snprintf(out + n, size - (size_t)n, "%s%lld", d ? ", " : "",
                      (long long)s->shape[d]);
    snprintf(out + n, size - (size_t)n, "]");
}

static void shapes_and_dtypes_match_hand_worked_table(void **state)
{
    static const struct {
        const char *shape, *dtype, *want;
    } rows[] = {
        /* clang-format off */
        { "x.shape",                      "x.dtype",      "f16 [4, 8, 16]" },
        { "[x.shape[0], w.shape[-1]]",    "w.dtype",      "i32 [4, 1]" },
        { "x.shape[:-1] + [n]",           "f32",          "f32 [4, 8, 7]" },
        { "x.shape[1:]",                  "b8",           "b8 [8, 16]" },
        { "x.shape[1:99] + x.shape[-9:1]", "b8",          "b8 [8, 16, 4]" },
        { "x.shape[2:1]",                 "b8",           "b8 []" },
        { "[]",                           "c64",          "c64 []" },
        { "broadcast(x.shape, w.shape, [1])", "f32",      "f32 [4, 8, 16]" },
        { "xs[0].shape + xs[1].shape",    "xs[1].dtype",  "i64 [2, 3, 5]" },
        { "[1] * x.ndim",                 "f32",          "f32 [1, 1, 1]" },
        { "[1, 2] * 0",                   "f32",          "f32 []" },
        { "reduced(x.shape, dims, 0)",    "f32",          "f32 [8]" },
        { "reduced(x.shape, dims, keep)", "f32",          "f32 [1, 8, 1]" },
        { "reduced(x.shape, none, keep)", "f32",          "f32 [1, 1, 1]" },
        { "reduced(x.shape, None, 0)",    "f32",          "f32 []" },
        { "convolved([8, 9], [3], [2], [1], [1], 0, [0])", "f32", "f32 [4, 5]" },
        { "convolved(x.shape[1:], [3, 5], [1], [0, 2], [2, 1], keep * 0, [0])", "f32", "f32 [4, 16]" },
        { "convolved([4], [3], [2], [1], [1], keep, [1])", "f32", "f32 [8]" },
        { "convolved([], [3], [1], [0], [1], 0, [0])", "f32", "f32 []" },
        { "reduced(x.shape, n - 8, 0)",   "f32",          "f32 [4, 8]" },
        { "reduced(x.shape, k, 0)",       "f32",          "f32 []" },
        { "reduced([], [-1], 0)",         "f32",          "f32 []" },
        { "pooled([7, 8], [3], [2], [0], [1], 0)", "f32", "f32 [3, 3]" },
        { "pooled([7, 8], [3], [2], [0], [1], keep)", "f32", "f32 [3, 4]" },
        { "pooled([5], [2], [2], [1], [1], keep)", "f32", "f32 [3]" },
        { "pooled([4], [1], [4], [2], [1], keep)", "f32", "f32 [2]" },
        { "pooled([7, 9], [3, 2], [], [0], [1, 2], 0)", "f32", "f32 [2, 4]" },
        { "padded([2, 3, 4], [1, 2, 0, -1])", "f32",      "f32 [2, 2, 7]" },
        { "padded([2], [])",              "f32",          "f32 [2]" },
        { "tiled([2, 3], [5, 1, 4])",     "f32",          "f32 [5, 2, 12]" },
        { "tiled([2, 3], [7])",           "f32",          "f32 [2, 21]" },
        { "resized(x.shape, None, by)",   "f32",          "f32 [10, 16, 1]" },
        { "resized(x.shape, [1, 2] + [n], unset)", "f32", "f32 [1, 2, 7]" },
        { "[1] + resized([8, 9], [3, 4], unset)", "f32",  "f32 [1, 3, 4]" },
        { "concatenated(ys, -1)",         "promoted(ys)", "f16 [2, 7]" },
        { "concatenated(empty, 0)",       "promoted(empty, ys)", "f32 [0]" },
        { "[len(ys), len(empty), len(dims)]", "f32",      "f32 [3, 1, 2]" },
        { "[n // 2, n % 2, -n // 2 + 9]", "f32",          "f32 [3, 1, 5]" },
        { "[max(n, 2, 9), min(n, 2), len(dims), prod(x.shape)]", "f32", "f32 [9, 2, 2, 512]" },
        { "[len(xs), n] + [len ( xs )]",  "f32",          "f32 [2, 7, 2]" },
        { "[(n + 1) * 2 - keep]",         "f32",          "f32 [15]" },
        { "[dims[0] + 2]",                "f32",          "f32 [1]" },
        { "[n]",                          "dtype or x.dtype",  "f16 [7]" },
        { "[n]",                          "given or x.dtype",  "f64 [7]" },
        { "[n]",                          "summed(w.dtype)",   "i64 [7]" },
        { "[n]",                          "summed(x.dtype)",   "f16 [7]" },
        { "[n]",                          "widened(x.dtype)",  "f32 [7]" },
        { "[n]",                          "floating(w.dtype)", "f32 [7]" },
        { "[n]",                          "i8 if keep else x.dtype", "i8 [7]" },
        { "[n]",                          "i8 if mode else x.dtype", "f16 [7]" },
        { "[n]",                          "i8 if word else x.dtype", "i8 [7]" },
        { "[n]",                          "logical(x.dtype)", "b8 [7]" },
        { "[n]",                          "logical(u8)",     "u8 [7]" },
        { "[n]",                          "promoted(x, w)",  "f16 [7]" },
        { "[n]",                          "promoted(w, n)",  "i32 [7]" },
        { "[n]",                          "promoted(w, keep, a)", "f32 [7]" },
        { "[n]",                          "promoted(x, a)",  "f16 [7]" },
        { "[n]",                          "promoted(z, w)",  "i32 [7]" },
        { "[n]",                          "promoted(z, n)",  "i16 [7]" },
        { "[n]",                          "promoted(keep)",  "b8 [7]" },
        { "[n]",                          "floating(promoted(w, n))", "f32 [7]" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_output_spec spec = {rows[i].shape, rows[i].dtype};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_output_shape got;
        char text[200];

        print_message("  %s, %s\n", rows[i].shape, rows[i].dtype);
        if (osw_shape_expr_check(spec.shape, &f->schema, &err) < 0 ||
            osw_dtype_expr_check(spec.dtype, &f->schema, &err) < 0 ||
            osw_output_spec_eval(&spec, &f->env, &got, &err) < 0)
            fail_msg("%s", err.text);
        shape_text(&got, text, sizeof(text));
        assert_string_equal(text, rows[i].want);
    }
}

static void a_text_that_is_none_is_refused_by_its_column(void **state)
{
    static const struct {
        const char *shape, *want;
    } rows[] = {
        /* clang-format off */
        { "",                    "column 1: expected a number, a list" },
        { "x.shape +",           "column 10: expected a number, a list" },
        { "x.shape x",           "column 9: expected an operator or the end, found 'x'" },
        { "n",                   "column 1: expected a list, found an integer" },
        { "[x.shape]",           "column 2: expected an integer, found a list" },
        { "x.shape + 1",         "expected a list, found an integer" },
        { "x.shape - x.shape",   "expected an integer, found a list" },
        { "y.shape",             "column 1: expected an argument of the schema, found 'y'" },
        { "a",                   "column 1: expected a.shape, .ndim or an int argument" },
        { "[len(x)]",            "column 6: expected x.shape, .ndim or an int argument" },
        { "[len(xs]",            "column 8: expected ')', found ']'" },
        { "xs",                  "column 1: expected a list, found a list of tensors" },
        { "a.shape",             "expected a tensor, argument 'a' is float" },
        { "xs.shape",            "expected '[0]', since this is a list of tensors" },
        { "[1",                  "column 3: expected ',' or ']', found the end" },
        { "x.shape[",            "column 9: expected a number" },
        { "x.shape[0",           "column 10: expected ':' or ']'" },
        { "x.shape[0:1:2]",      "column 12: expected ']', found ':'" },
        { "broadcast()",         "column 11: expected a number" },
        { "broadcast(1)",        "column 11: expected a list, found an integer" },
        { "reduced(x.shape, xs, 0)", "column 18: expected a list, an integer or None, found a list of tensors" },
        { "[1] + xs",            "expected a list, found a list of tensors" },
        { "concatenated(dims, 0)", "column 14: expected a list of tensors, found a list" },
        { "resized(x.shape, dims, dims)", "column 24: expected a list of floats or None, found a list" },
        { "resized(x.shape, by, by)", "column 18: expected a list or None, found a list of floats" },
        { "by",                  "column 1: expected a list, found a list of floats" },
        { "len(by)",             "column 5: expected a list, found a list of floats" },
        { "pooled([1], [1], None, [0], [1], 0)", "column 18: expected a list, found None" },
        { "reduced(x.shape, dims)", "column 22: expected ','" },
        { "None",                "column 1: expected a list, found None" },
        { "[9223372036854775808]", "column 2: expected a number below 2^63" },
        { "[1 \x01]",            "found byte 0x01" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].shape);
        assert_int_equal(osw_shape_expr_check(rows[i].shape, &f->schema, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
}

static void a_dtype_that_is_none_is_refused(void **state)
{
    static const struct {
        const char *dtype, *want;
    } rows[] = {
        {"", "column 1: expected x.dtype"},
        {"f33", "expected an argument of the schema, found 'f33'"},
        {"x.shape", "expected .dtype"},
        {"n.dtype", "expected a tensor, argument 'n' is int"},
        {"summed(f32", "column 11: expected ')'"},
        {"f32 or", "column 5: expected 'or' or the end"},
        {"f32 if n else f16",
         "expected a bool or a string argument, 'n' is int"},
        {"f32 if keep", "expected 'else'"},
        {"promoted(dims)", "column 10: expected a tensor or a number, argument "
                           "'dims' is int[]"},
        {"promoted()", "column 10: expected an argument, found ')'"},
        {"promoted(x, 2)", "column 13: expected an argument, found '2'"},
        {"promoted(x", "expected ',' or ')'"},
        {"promoted(f32)", "expected an argument of the schema"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].dtype);
        assert_int_equal(osw_dtype_expr_check(rows[i].dtype, &f->schema, &err),
                         -1);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
}

static void what_these_arguments_do_not_have_is_an_error(void **state)
{
    static const struct {
        const char *shape, *dtype, *want;
    } rows[] = {
        /* clang-format off */
        { "[x.shape[3]]",        "f32", "item 3 of a list of 3" },
        { "[x.shape[-4]]",       "f32", "item -4 of a list of 3" },
        { "xs[2].shape",         "f32", "item 2 of 2" },
        { "[n // 0]",            "f32", "a division by 0" },
        { "[n - 8]",             "f32", "size -1 of dimension 0" },
        { "broadcast(x.shape, [3])", "f32", "cannot broadcast 16 and 3" },
        { "reduced(x.shape, [3], 0)", "f32", "dimension 3 of 3" },
        { "convolved([8, 9], [3, 3, 3], [1], [0], [1], 0, [0])", "f32", "parameter 2: expected 1 or 2 items, found 3" },
        { "convolved([8], [9], [1], [0], [1], 0, [0])", "f32", "no output: size 8, kernel 9, stride 1" },
        { "convolved([8], [3], [0], [0], [1], 0, [0])", "f32", "no output: size 8, kernel 3, stride 0" },
        { "convolved([8], [3], [1], [9223372036854775807], [1], 0, [0])", "f32", "no output" },
        { "[k]",                 "f32", "expected an integer, found None" },
        { "reduced(x.shape, n, 0)", "f32", "dimension 7 of 3" },
        { "pooled([8], [3], [0], [0], [1], 0)", "f32", "no output: size 8, kernel 3, stride 0" },
        { "pooled([8], [9], [1], [0], [1], 0)", "f32", "no output: size 8, kernel 9, stride 1" },
        { "pooled([8, 9], [3], [1, 2, 3], [0], [1], 0)", "f32", "parameter 3: expected 1 or 2 items, found 3" },
        { "padded([8], [1])",    "f32", "expected two pads for each of at most 1 dimensions, found 1" },
        { "padded([8], [0, 0, 1, 1])", "f32", "found 4" },
        { "padded([8], [0, -9])", "f32", "no output: size 8 and its pads" },
        { "tiled([9223372036854775807], [n])", "f32", "a product of more than 2^63 - 1" },
        { "resized(x.shape, dims, unset)", "f32", "expected 3 new sizes or factors" },
        { "resized([1, 2], None, by)", "f32", "expected 2 new sizes or factors" },
        { "resized([1], None, unset)", "f32", "expected 1 new sizes or factors" },
        { "resized([9223372036854775807, 1, 1], None, by)", "f32", "no output: size 9223372036854775807 and its factor" },
        { "concatenated(xs, 0)", "f32", "item 1 has 2 dimensions, not 1" },
        { "concatenated(ys, 2)", "f32", "dimension 2 of 2" },
        { "[9223372036854775807 * n]", "f32", "a product of more than 2^63 - 1" },
        { "[9223372036854775807 + n]", "f32", "beyond 2^63" },
        { "[1] * 65",            "f32", "at most 64 items" },
        { "[1] * 17",            "f32", "at most 16 dimensions, found 17" },
        { "[1]",                 "dtype", "'dtype' is none here" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_output_spec spec = {rows[i].shape, rows[i].dtype};
        struct osw_output_shape got = {.ndim = 99};
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].shape);
        assert_int_equal(osw_shape_expr_check(spec.shape, &f->schema, NULL), 0);
        assert_int_equal(osw_output_spec_eval(&spec, &f->env, &got, &err), -1);
        assert_int_equal(got.ndim, 99);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
    }
}

static void depth_and_length_are_bounded(void **state)
{
    struct fixture *f = *state;
    char text[OSW_SHAPE_EXPR_MAX_BYTES + 2];

    memset(text, '(', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(osw_shape_expr_check(text, &f->schema, NULL), -1);
    text[OSW_SHAPE_EXPR_MAX_BYTES] = '\0';
    assert_int_equal(osw_shape_expr_check(text, &f->schema, NULL), -1);
}

static void python_says_the_same(void **state)
{
    static const struct {
        const char *shape, *dtype, *want;
    } rows[] = {
        {"x.shape[:-1] + [xs[1].shape[0] // 2]", "dtype or x.dtype",
         "_shape(a['x'])[:-1]+[_shape(a['xs'][1])[0]//2] a['dtype'] or "
         "a['x'].dtype"},
        {"reduced(x.shape, none, keep)", "summed(w.dtype) if keep else f16",
         "_reduced(_shape(a['x']),_ints(a['none']),int(a['keep'])) "
         "_summed(a['w'].dtype) if a['keep'] else _dtypes['f16']"},
        {"[len( xs )]", "f32", "[_len(a['xs'])] _dtypes['f32']"},
        {"[n]", "floating(promoted(x, n, keep))",
         "[a['n']] _floating(_promoted(a['x'],a['n'],a['keep']))"},
        {"convolved(x.shape, dims, [1], [0], [1], keep, [0])", "f32",
         "_convolved(_shape(a['x']),_ints(a['dims']),[1],[0],[1],int(a['keep'])"
         ",[0])"
         " _dtypes['f32']"},
        {"concatenated(xs, n)[:len(ys)]", "promoted(xs) if mode else f32",
         "_concatenated(a['xs'],a['n'])[:_len(a['ys'])] "
         "_promoted(a['xs']) if a['mode'] else _dtypes['f32']"},
        {"resized(reduced(x.shape, k, keep), None, by)", "f32",
         "_resized(_reduced(_shape(a['x']),a['k'],int(a['keep'])),None,a['by'])"
         " _dtypes['f32']"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_text text = OSW_TEXT_INIT;

        osw_shape_expr_python(rows[i].shape, &f->schema, &text);
        osw_text_add(&text, " ");
        osw_dtype_expr_python(rows[i].dtype, &f->schema, &text);
        assert_string_equal(osw_text_str(&text), rows[i].want);
        osw_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(shapes_and_dtypes_match_hand_worked_table),
        T(a_text_that_is_none_is_refused_by_its_column),
        T(a_dtype_that_is_none_is_refused),
        T(what_these_arguments_do_not_have_is_an_error),
        T(depth_and_length_are_bounded),
        T(python_says_the_same),
#undef T
    };

    return cmocka_run_group_tests_name("ops/shape_expr", tests, NULL, NULL);
}

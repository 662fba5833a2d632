/* tests/unit/ops/test_notation.c - the case notation, both ways */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/notation.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_text text;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.arena = osw_arena_create()};
    *state = &f;
    return f.arena ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_text_free(&f->text);
    osw_arena_destroy(f->arena);
    return 0;
}

static const char *print_case(struct fixture *f, const struct osw_case *c)
{
    osw_text_reset(&f->text);
    osw_notation_print_case(&f->text, c);
    return osw_text_str(&f->text);
}

static bool same_sizes(const int64_t *a, const int64_t *b, int32_t n)
{
    return memcmp(a, b, (size_t)n * sizeof(*a)) == 0;
}

static bool same_tensor(const struct osw_tensor_desc *a,
                        const struct osw_tensor_desc *b)
{
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           a->strided == b->strided && a->offset == b->offset &&
           same_sizes(a->shape, b->shape, a->ndim) &&
           same_sizes(a->strides, b->strides, a->ndim);
}

static bool same(const struct osw_value *a, const struct osw_value *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    switch (a->kind) {
    case OSW_VALUE_NONE:
        return true;
    case OSW_VALUE_BOOL:
        return a->u.b == b->u.b;
    case OSW_VALUE_INT:
        return a->u.i == b->u.i;
    case OSW_VALUE_FLOAT:
        return memcmp(&a->u.f, &b->u.f, sizeof(double)) == 0;
    case OSW_VALUE_STRING:
    case OSW_VALUE_WORD:
        return memcmp(a->u.s, b->u.s, a->n + 1) == 0;
    case OSW_VALUE_DTYPE:
        return a->u.dtype == b->u.dtype;
    case OSW_VALUE_TENSOR:
        return same_tensor(a->u.tensor, b->u.tensor);
    case OSW_VALUE_LIST:
    case OSW_VALUE_TUPLE:
    case OSW_VALUE_DICT:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same(&a->u.items[i], &b->u.items[i]) ||
                (a->kind == OSW_VALUE_DICT &&
                 strcmp(a->keys[i], b->keys[i]) != 0))
                return false;
        return true;
    }
    return false;
}

/* --- every case of the traces --- */

static void round_trip_line(struct fixture *f, const char *line)
{
    struct osw_case once, twice;
    const char *text = strchr(line, '('), *printed;

    osw_arena_reset(f->arena);
    if (osw_notation_parse_case(f->arena, text, strlen(text), &once, &f->err) <
        0)
        fail_msg("%s\n  in %s", f->err.text, text);
    printed = print_case(f, &once);
    assert_string_equal(printed, text);
    assert_int_equal(osw_notation_parse_case(f->arena, printed, strlen(printed),
                                             &twice, &f->err),
                     0);
    assert_true(same(&once.args, &twice.args));
    assert_true(same(&once.kwargs, &twice.kwargs));
}

static void every_case_of_the_traces_prints_as_it_was_written(void **state)
{
    struct fixture *f = *state;
    size_t n_lines = 0, size = 0;
    char *line = NULL;
    glob_t files;

    assert_int_equal(glob("tests/data/traces/*/*.txt", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *in = fopen(files.gl_pathv[i], "r");

        assert_non_null(in);
        while (getline(&line, &size, in) > 0) {
            line[strcspn(line, "\n")] = '\0';
            if (strncmp(line, "cnt:", 4) != 0)
                continue;
            round_trip_line(f, line);
            n_lines++;
        }
        fclose(in);
    }
    free(line);
    assert_int_equal(files.gl_pathc, 112);
    assert_int_equal(n_lines, 16661);
    globfree(&files);
}

/* --- what is accepted, and how it prints --- */

static const struct {
    const char *text;
    const char *canonical; /* of the value */
} values[] = {
    /* clang-format off */
    { " None ", "None" },
    { "True", "True" },
    { "[False]", "[False]" },
    { "7", "7" },
    { "-0", "0" },
    { "9223372036854775807", "9223372036854775807" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "(1,)", "(1,)" },
    { "( 1 , 2, )", "(1, 2)" },
    { "()", "()" },
    { "[]", "[]" },
    { "{}", "{}" },
    { "[None, [], (None,)]", "[None, [], (None,)]" },
    { "{\"a\": 1, 'b': [2]}", "{'a': 1, 'b': [2]}" },
    { "bf16", "bf16" },
    { "c32", "c32" },
    { "inf", "inf" },
    { "-inf", "-inf" },
    { "nan", "nan" },
    { "torch.strided", "torch.strided" },
    { "torch.device('cpu')", "torch.device('cpu')" },
    { "device(type='cuda', index=0)", "device(type='cuda', index=0)" },
    { "'cuda'", "'cuda'" },
    { "\"cuda\"", "'cuda'" },
    { "'it\\'s'", "\"it's\"" },
    { "'\\'\"'", "'\\'\"'" },
    { "'a\\\\b\\n\\x01\\x7f'", "'a\\\\b\\n\\x01\\x7f'" },
    { "'\xc3\xa9'", "'\xc3\xa9'" },
    { "T([], f32)", "T([], f32)" },
    { "T([], f32, stride=())", "T([], f32, stride=())" },
    { "T((2, 3), f16)", "T([2, 3], f16)" },
    { "T([2, 3], f16, stride=(1, 2))", "T([2, 3], f16, stride=(1, 2))" },
    { "T([2, 3], f16, stride=[1, 2])", "T([2, 3], f16, stride=(1, 2))" },
    { "T([2, 3], f16, (1, 2))", "T([2, 3], f16, stride=(1, 2))" },
    { "T([2,3],f16,[1,2],)", "T([2, 3], f16, stride=(1, 2))" },
    { "T([2, 3], f16, offset=1)", "T([2, 3], f16, offset=1)" },
    { "T([2,3],f16,[1,2],offset=7,)", "T([2, 3], f16, stride=(1, 2), offset=7)" },
    { "T([2], f16, offset=0)", "T([2], f16)" },
    { "T([5], i64, stride=(0,))", "T([5], i64, stride=(0,))" },
    { "T([4294967296, 2147483647], i8)", "T([4294967296, 2147483647], i8)" },
    { "T([0, 9223372036854775807], u8)", "T([0, 9223372036854775807], u8)" },
    { "T([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], b8)",
      "T([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], b8)" },
    /* floats, as Python's repr */
    { "0.0", "0.0" },
    { "-0.0", "-0.0" },
    { "1.", "1.0" },
    { ".5", "0.5" },
    { "1e3", "1000.0" },
    { "0.1", "0.1" },
    { "1e-12", "1e-12" },
    { "1e-05", "1e-05" },
    { "0.00001", "1e-05" },
    { "0.0001", "0.0001" },
    { "0.00125", "0.00125" },
    { "-65504.0", "-65504.0" },
    { "1e15", "1000000000000000.0" },
    { "123456789012345680.0", "1.2345678901234568e+17" },
    { "9999999999999998.0", "9999999999999998.0" },
    { "1e16", "1e+16" },
    { "1.7015043497085571", "1.7015043497085571" },
    { "0.30000000000000004", "0.30000000000000004" },
    { "5e-324", "5e-324" },
    { "1e-400", "0.0" },
    { "1.7976931348623157e308", "1.7976931348623157e+308" },
    { "2.2250738585072014e-308", "2.2250738585072014e-308" },
    { "5.684341886080802e-14", "5.684341886080802e-14" }, /* 2^-44 */
    { "7.1202363472230444e-307", "7.120236347223045e-307" }, /* 2^-1017 */
    { "9007199254740993.0", "9007199254740992.0" },
    /* clang-format on */
};

static void values_print_canonically(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(values); i++) {
        const char *text = values[i].text, *printed;
        struct osw_value once, twice;

        print_message("  value: %s\n", text);
        if (osw_notation_parse_value(f->arena, text, strlen(text), &once,
                                     &f->err) < 0)
            fail_msg("%s", f->err.text);
        osw_text_reset(&f->text);
        osw_notation_print_value(&f->text, &once);
        printed = osw_text_str(&f->text);
        assert_string_equal(printed, values[i].canonical);
        assert_int_equal(osw_notation_parse_value(f->arena, printed,
                                                  strlen(printed), &twice,
                                                  &f->err),
                         0);
        assert_true(same(&once, &twice));
    }
}

static void cases_get_their_missing_half(void **state)
{
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        {"(T([2], f32),)", "((T([2], f32),), {})"},
        {"()", "((), {})"},
        {"((), {})", "((), {})"},
        {"((1,),)", "(((1,),), {})"},
        {"(1, {})", "((1, {}), {})"},
        {"((1,), {}, 2)", "(((1,), {}, 2), {})"},
        {"((1,), {'k': 2})", "((1,), {'k': 2})"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct osw_case c;

        print_message("  case: %s\n", cases[i].text);
        if (osw_notation_parse_case(f->arena, cases[i].text,
                                    strlen(cases[i].text), &c, &f->err) < 0)
            fail_msg("%s", f->err.text);
        assert_string_equal(print_case(f, &c), cases[i].canonical);
    }
}

static void a_tensor_without_strides_is_row_major(void **state)
{
    static const char text[] = "(T([4, 0, 3], f32), T([2, 3, 5], f32))";
    static const int64_t empty[] = {3, 3, 1}, full[] = {15, 5, 1};
    struct fixture *f = *state;
    struct osw_case c;

    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), &c, &f->err), 0);
    assert_true(same_sizes(c.args.u.items[0].u.tensor->strides, empty, 3));
    assert_true(same_sizes(c.args.u.items[1].u.tensor->strides, full, 3));
    assert_false(c.args.u.items[1].u.tensor->strided);
}

/* --- what is refused --- */

#define DTYPES  "a dtype of f64 f32 f16 bf16 i64 i32 i16 i8 u8 b8 c128 c64 c32"
#define ESCAPES "an escape of \\\\ \\' \\\" \\n \\t \\r or \\x01 to \\x7f"

static const struct {
    const char *text;
    const char *error;
} bad[] = {
    /* clang-format off */
    { "", "column 1: expected a value, found the end" },
    { "  ", "column 3: expected a value, found the end" },
    { "foo", "column 1: expected a value, found 'foo'" },
    { "torch.", "column 7: expected a name after '.', found the end" },
    { "torch. x", "column 7: expected a name after '.', found byte 0x20" },
    { "%", "column 1: expected a value, found '%'" },
    { "\x01", "column 1: expected a value, found byte 0x01" },
    { "-", "column 1: expected a number, found '-'" },
    { "1 2", "column 3: expected nothing more, found '2'" },
    { "9223372036854775808", "column 1: expected an integer within int64, found '9223372036854775808'" },
    { "[1, -9223372036854775809]", "column 5: expected an integer within int64, found '-9223372036854775809'" },
    { "1e999", "column 1: expected a number within float64, found '1e999'" },
    { "0000000000000000000000000000000000000000000000000000000000000001",
      "column 1: expected a number of at most 63 characters, found '000000000000000000000000'..." },
    { "(1)", "column 3: expected ',' as in (x,), found ')'" },
    { "(1, 2", "column 6: expected ',' or ')', found the end" },
    { "[1 2]", "column 4: expected ',' or ']', found '2'" },
    { "[1,,2]", "column 4: expected a value, found ','" },
    { "[1)", "column 3: expected ',' or ']', found ')'" },
    { "{1: 2}", "column 2: expected a quoted text, found '1'" },
    { "{'a' 2}", "column 6: expected ':', found '2'" },
    { "{'a': 2, 'a': 3}", "column 11: expected a key given once, found 'a'" },
    { "{'a': }", "column 7: expected a value, found '}'" },
    { "'abc", "column 5: expected ' at the end of the text, found the end" },
    { "'abc\\", "column 6: expected ' at the end of the text, found the end" },
    { "\"a\nb\"", "column 3: expected \" at the end of the text, found byte 0x0a" },
    { "'a\\q'", "column 3: expected " ESCAPES ", found '\\'" },
    { "'\\x00'", "column 2: expected " ESCAPES ", found '\\'" },
    { "'\\x80'", "column 2: expected " ESCAPES ", found '\\'" },
    { "T", "column 2: expected '(', found the end" },
    { "T(2)", "column 3: expected '[' or '(', found '2'" },
    { "T([2])", "column 6: expected ',', found ')'" },
    { "T([2], f31)", "column 8: expected " DTYPES ", found 'f31'" },
    { "T([2], )", "column 8: expected " DTYPES ", found ')'" },
    { "T([2, -3], f32)", "column 7: expected an integer of 0 or more, found '-3'" },
    { "T([2.0], f32)", "column 4: expected an integer of 0 or more, found '2.0'" },
    { "T([x], f32)", "column 4: expected a number, found 'x'" },
    { "T([2 3], f32)", "column 6: expected ',' or ']', found '3'" },
    { "T([2], f32, stride (1,))", "column 20: expected '=', found '('" },
    { "T([2], f32, strides=(1,))", "column 13: expected '[' or '(', found 'strides'" },
    { "T([2], f32, stride=(1, 2))", "column 20: expected 1 strides, one per dimension (not 2), found '('" },
    { "T([2], f32, stride=(-1,))", "column 21: expected an integer of 0 or more, found '-1'" },
    { "T([2], f32, stride=(1,)", "column 24: expected ')', found the end" },
    { "T([2], f32, offset=-1)", "column 20: expected an integer from 0 to 1048576, found '-1'" },
    { "T([2], f32, offset=1048577)", "column 20: expected an integer from 0 to 1048576, found '1048577'" },
    { "T([2], f32, offset=1.0)", "column 20: expected an integer from 0 to 1048576, found '1.0'" },
    { "T([2], f32, offset 1)", "column 20: expected '=', found '1'" },
    { "T([2], f32, offset=1, stride=(1,))", "column 23: expected ')', found 'stride'" },
    { "T([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], b8)",
      "column 52: expected at most 16 dimensions, found '1'" },
    { "T([4611686018427387904, 2], i8)", "column 3: expected a tensor of less than 2^63 bytes, found '['" },
    { "T([1152921504606846976], f64)", "column 3: expected a tensor of less than 2^63 bytes, found '['" },
    { "T([3, 2], i8, stride=(4611686018427387904, 1))", "column 3: expected a tensor of less than 2^63 bytes, found '['" },
    { "T([4294967296, 4294967296], i8, stride=(0, 0))", "column 3: expected a tensor of less than 2^63 bytes, found '['" },
    { "device(type='cuda'", "column 19: expected ')' for '(' in column 7, found the end" },
    { "device('a\\'b')", "column 10: expected a text without escapes, found '\\'" },
    { "device(\n)", "column 8: expected a printable character, found byte 0x0a" },
    /* clang-format on */
};

static void bad_values_are_refused_by_column(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_value v = {.kind = OSW_VALUE_WORD, .n = 77};

        print_message("  bad: %s\n", bad[i].text);
        assert_int_equal(osw_notation_parse_value(f->arena, bad[i].text,
                                                  strlen(bad[i].text), &v,
                                                  &err),
                         -1);
        assert_string_equal(err.text, bad[i].error);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_int_equal(v.n, 77);
    }
}

static void a_case_is_a_tuple(void **state)
{
    static const char text[] = " [T([2], f32)]";
    struct fixture *f = *state;
    struct osw_case c;

    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), &c, &f->err), -1);
    assert_string_equal(f->err.text, "column 2: expected '(' of a case "
                                     "((args...), {kwargs}), found '['");
}

/* --- bounds --- */

/* n brackets inside another; a case's lone arguments gain one in print. */
static int parse_depth(struct fixture *f, int n, bool as_case)
{
    char text[200];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_value v;
    struct osw_case c;
    size_t len = 2 * (size_t)n;

    memset(text, '[', (size_t)n);
    memset(text + n, ']', (size_t)n);
    if (!as_case)
        return osw_notation_parse_value(f->arena, text, len, &v, &err);
    text[0] = '(';
    text[len - 1] = ',';
    text[len] = ')';
    return osw_notation_parse_case(f->arena, text, len + 1, &c, &err);
}

static void depth_is_bounded(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse_depth(f, OSW_NOTATION_MAX_DEPTH, false), 0);
    assert_int_equal(parse_depth(f, OSW_NOTATION_MAX_DEPTH + 1, false), -1);
    assert_int_equal(parse_depth(f, OSW_NOTATION_MAX_DEPTH - 1, true), 0);
    assert_int_equal(parse_depth(f, OSW_NOTATION_MAX_DEPTH, true), -1);
}

static void bytes_are_bounded(void **state)
{
    struct fixture *f = *state;
    size_t n = OSW_NOTATION_MAX_BYTES + 1;
    char *text = malloc(n);
    struct osw_value v;

    assert_non_null(text);
    memset(text, ' ', n);
    text[0] = '7';
    assert_int_equal(
        osw_notation_parse_value(f->arena, text, n - 1, &v, &f->err), 0);
    assert_int_equal(osw_notation_parse_value(f->arena, text, n, &v, &f->err),
                     -1);
    assert_string_equal(f->err.text, "column 1048577: expected a text of at "
                                     "most 1048576 bytes, found 1048577");
    free(text);
}

static void keys_are_bounded(void **state)
{
    struct fixture *f = *state;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_value v;

    osw_text_add(&text, "{");
    for (int i = 0; i < 257; i++)
        osw_text_printf(&text, "'%03d':0,", i);
    osw_text_add(&text, "}");
    assert_int_equal(
        osw_notation_parse_value(f->arena, text.data, text.used, &v, &f->err),
        -1);
    assert_string_equal(f->err.text,
                        "column 2050: expected at most 256 keys, found '''");
    osw_text_free(&text);
}

/* Long enough for several blocks of the arena, of everything that allocates. */
static void every_allocation_failure_of_the_parser_is_reported(void **state)
{
    struct fixture *f = *state;
    int n_failures = 0;

    osw_text_add(&f->text, "(([");
    for (int i = 0; i < 1000; i++)
        osw_text_add(&f->text, "T([2, 3], f32), 'text', torch.strided, "
                               "{'key': ()}, ");
    osw_text_add(&f->text, "],), {})");
    for (bool struck = true; struck; n_failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena;
        struct osw_case c;
        int rc = -1;

        chaos_arm(n_failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_notation_parse_case(arena, f->text.data, f->text.used, &c,
                                         &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_arena_destroy(arena);
    }
    assert_in_range(n_failures, 8, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(every_case_of_the_traces_prints_as_it_was_written),
        T(values_print_canonically),
        T(cases_get_their_missing_half),
        T(a_tensor_without_strides_is_row_major),
        T(bad_values_are_refused_by_column),
        T(a_case_is_a_tuple),
        T(depth_is_bounded),
        T(bytes_are_bounded),
        T(keys_are_bounded),
        T(every_allocation_failure_of_the_parser_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/notation", tests, NULL, NULL);
}

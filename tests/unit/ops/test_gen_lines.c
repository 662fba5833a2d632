/* tests/unit/ops/test_gen_lines.c - what a generator that runs code said */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/cases/gen_lines.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define DIGEST    "\t0123456789abcdef\t\t"

static const struct osw_op op = {.name = "f.default", .folder = "f"};

struct fixture {
    osw_arena_t *arena;
    struct osw_gen_cases cases;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static int parse(struct fixture *f, const struct osw_op *of, const char *text)
{
    struct osw_gen_list list;

    osw_gen_list_begin(&list, f->arena);
    return osw_gen_list_finish(
        &list, osw_gen_lines_parse(of, text, strlen(text), &list.sink, &f->err),
        &f->cases, &f->err);
}

static void every_line_is_the_case_of_its_number(void **state)
{
    static const char text[] =
        "case\t0" DIGEST "((T([2, 3], f32), [T([4], b8)], 'a'), {})\n"
        "bad\t0\tValueError: no\n"
        "case\t1" DIGEST "((1.5,), {'y': T([2], i64)})\n";
    struct fixture *f = *state;

    assert_int_equal(parse(f, &op, text), 0);
    assert_int_equal(f->cases.n, 3);
    assert_string_equal(f->cases.at[0].text,
                        "((T([2, 3], f32), [T([4], b8)], 'a'), {})");
    assert_string_equal(f->cases.at[0].fill, "drawn(0),drawn(0)");
    assert_true(f->cases.at[0].digest == UINT64_C(0x0123456789abcdef));
    assert_false(f->cases.at[0].performance);
    assert_null(f->cases.at[0].why_not);
    assert_string_equal(f->cases.at[1].text, "(('case 1',), {})");
    assert_string_equal(f->cases.at[1].why_not, "ValueError: no");
    assert_string_equal(f->cases.at[2].fill, "drawn(2)");
    assert_true(f->cases.at[2].performance);
}

static void a_case_that_is_none_of_the_op_says_so_and_the_rest_stays(void **s)
{
    struct fixture *f = *s;
    struct osw_schema schema;
    struct osw_op with = op;

    assert_int_equal(osw_schema_parse(f->arena, "f(Tensor x) -> Tensor",
                                      strlen("f(Tensor x) -> Tensor"), &schema,
                                      &f->err),
                     0);
    with.schema = &schema;
    assert_int_equal(parse(f, &with,
                           "case\t0" DIGEST "((T([2], f32), 3), {})\n"
                           "case\t0" DIGEST "((T([2], f32),), {})\n"
                           "case\t0" DIGEST "((T([2, f32),), {})\n"),
                     0);
    assert_non_null(strstr(f->cases.at[0].why_not, "at most 1 positional"));
    assert_null(f->cases.at[1].why_not);
    assert_non_null(strstr(f->cases.at[2].why_not, "column"));
}

/* By their order in the text, whatever the schema's is. */
static void tensors_of_independent_elements_are_told(void **s)
{
    static const char schema_text[] =
        "f(Tensor x, Tensor y, Tensor z) -> Tensor";
    static const struct {
        const char *flags, *notation, *fill;
    } rows[] = {
        {"101", "((T([2], f32), T([3], f32), T([4], f32)), {})",
         "independent(0),drawn(0),independent(0)"},
        {"01", "((T([2], f32), T([3], f32), T([4], f32)), {})",
         "drawn(0),independent(0),drawn(0)"},
        {"0111111", "((T([2], f32),), {'z': T([3], f32), 'y': T([4], f32)})",
         "drawn(0),independent(0),independent(0)"},
        {"010", "((T([2], f32),), {'z': T([3], f32), 'y': T([4], f32)})",
         "drawn(0),drawn(0),independent(0)"},
        {"", "((T([2], f32), T([3], f32), T([4], f32)), {})",
         "drawn(0),drawn(0),drawn(0)"},
    };
    struct fixture *f = *s;
    struct osw_schema schema;
    struct osw_op with = op;

    assert_int_equal(osw_schema_parse(f->arena, schema_text,
                                      strlen(schema_text), &schema, &f->err),
                     0);
    with.schema = &schema;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *line =
            osw_arena_printf(f->arena, "case\t0\t0123456789abcdef\t%s\t%s\n",
                             rows[i].flags, rows[i].notation);

        assert_non_null(line);
        assert_int_equal(parse(f, &with, line), 0);
        assert_null(f->cases.at[0].why_not);
        assert_string_equal(f->cases.at[0].fill, rows[i].fill);
    }
}

static void a_line_that_is_none_is_an_error_that_names_it(void **state)
{
    static const struct {
        const char *text, *names;
    } rows[] = {
        {"case\t0" DIGEST "((1,), {})", "line 1: cut short"},
        {"\n", "line 1: expected a kind"},
        {"case\n", "line 1: expected a kind"},
        {"case\t2" DIGEST "((1,), {})\n", "line 1: expected a kind, 0 or 1"},
        {"bad\t0\twhy\ncase\t0\t123\t((1,), {})\n", "line 2: expected 'bad'"},
        {"case\t0\t0123456789abcdeF\t((1,), {})\n", "16 hexadecimal digits"},
        {"well\t0" DIGEST "((1,), {})\n", "expected 'bad', or 'case'"},
        {"case\t0\t0123456789abcdef\n", "expected 'bad', or 'case'"},
        {"case\t0\t0123456789abcdef\t10\n", "expected 'bad', or 'case'"},
        {"case\t0\t0123456789abcdef\t12\t((1,), {})\n", "0 or 1 for each"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %zu\n", i);
        f->err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(parse(f, &op, rows[i].text), -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(f->err.text, rows[i].names));
    }
    assert_int_equal(parse(f, &op, ""), 0);
    assert_int_equal(f->cases.n, 0);
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct fixture f = {.arena = osw_arena_create()};
        int rc;

        assert_non_null(f.arena);
        chaos_arm(failures);
        rc = parse(&f, &op,
                   "case\t0" DIGEST "((T([2], f32),), {})\nbad\t1\twhy\n");
        struck = chaos_struck();
        osw_arena_destroy(f.arena);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(f.err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(every_line_is_the_case_of_its_number),
        T(a_case_that_is_none_of_the_op_says_so_and_the_rest_stays),
        T(tensors_of_independent_elements_are_told),
        T(a_line_that_is_none_is_an_error_that_names_it),
#undef T
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("ops/gen_lines", tests, NULL, NULL);
}

/* tests/unit/ops/test_gen_input.c - the cases of an op folder, expanded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/cases/gen_input.h"
#include "ops/cases/gen_json.h"
#include "ops/catalog/op_load.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define GOOD      "tests/data/ops/good/"

struct fixture {
    osw_arena_t *arena;
    struct osw_op op;
    struct osw_gen_cases cases;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static void load(struct fixture *f, const char *dir)
{
    if (osw_op_load(f->arena, dir, "cpu", &f->op, &f->err) < 0 ||
        osw_gen_input_load(f->arena, &f->op, &f->cases, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

struct want {
    const char *text, *fill;
    uint64_t count;
    bool performance;
};

static void compare(const struct osw_gen_cases *got, const struct want *want,
                    size_t n)
{
    assert_int_equal(got->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(got->at[i].text, want[i].text);
        assert_string_equal(got->at[i].fill, want[i].fill);
        assert_int_equal(got->at[i].count, want[i].count);
        assert_int_equal(got->at[i].performance, want[i].performance);
        assert_int_equal(got->at[i].parsed.args.kind, OSW_VALUE_TUPLE);
    }
}

static void holes_take_every_combination_the_last_name_fastest(void **state)
{
    static const struct want want[] = {
        {"((T([4, 8], f32), 2.0), {})", "normal", 0, false},
        {"((T([1], f32), 0.5), {})", "normal", 0, false},
        {"((T([1], f16), 0.5), {})", "normal", 0, false},
        {"((T([1], bf16), 0.5), {})", "normal", 0, false},
        {"((T([31], f32), 0.5), {})", "normal", 0, false},
        {"((T([31], f16), 0.5), {})", "normal", 0, false},
        {"((T([31], bf16), 0.5), {})", "normal", 0, false},
        {"((T([64], f32),), {'index': T([3], i64)})", "special,index(64)", 0,
         false},
        {"((T([4096], f32), 2.0), {})", "normal", 0, true},
    };
    struct fixture *f = *state;

    load(f, GOOD "scale");
    compare(&f->cases, want, N_ELEM(want));
}

/* The two most called of add.Tensor, in the order of the file. */
static void traces_give_the_most_called_cases_of_the_op(void **state)
{
    static const struct want want[] = {
        {"((T([2, 3], f16), T([2, 3], f16)), {})", "normal,normal", 3, false},
        {"((T([4], f32), T([4], f32)), {'alpha': 2})", "normal,normal", 7,
         false},
        {"((T([4], f32), T([4], f32)), {'alpha': 2})", "normal,normal", 7,
         true},
    };
    struct fixture *f = *state;

    load(f, GOOD "add__Tensor");
    compare(&f->cases, want, N_ELEM(want));
}

static void a_generator_that_runs_code_gives_no_cases_and_says_why(void **state)
{
    struct fixture *f = *state;

    load(f, GOOD "python");
    assert_int_equal(f->cases.n, 0);
    assert_non_null(strstr(osw_gen_input_missing(&f->op), "gen_input.py"));
    load(f, GOOD "lonely");
    assert_int_equal(f->cases.n, 1);
    assert_null(osw_gen_input_missing(&f->op));
}

static int say_lines(void *arg, osw_arena_t *arena, const char *path,
                     const char *asked, bool divisible, const char **lines,
                     size_t *n, struct osw_error *err)
{
    const char *said = arg;

    (void)arena;
    assert_non_null(strstr(path, "python/gen_input.py"));
    assert_string_equal(asked, "");
    assert_false(divisible);
    if (*said == '!')
        return osw_fail(err, OSW_BAD_INPUT, "%s", said + 1);
    *lines = said;
    *n = strlen(said);
    return 0;
}

static void a_runner_makes_its_lines_cases(void **state)
{
    static char lines[] =
        "case\t0\t00000000000000ff\t\t((T([4], f32), 2), {})\n"
        "bad\t1\tno words\n",
                failure[] = "!ValueError: x (gen_input.py:3)",
                nonsense[] = "case\t0\n";
    struct fixture *f = *state;

    osw_gen_input_set_runner(say_lines, lines);
    load(f, GOOD "python");
    assert_null(osw_gen_input_missing(&f->op));
    assert_int_equal(f->cases.n, 2);
    assert_string_equal(f->cases.at[0].fill, "drawn(0)");
    assert_true(f->cases.at[0].digest == 0xff);
    assert_string_equal(f->cases.at[1].why_not, "no words");
    osw_gen_input_set_runner(say_lines, failure);
    load(f, GOOD "python");
    assert_int_equal(f->cases.n, 1);
    assert_string_equal(f->cases.at[0].why_not,
                        "ValueError: x (gen_input.py:3)");
    osw_gen_input_set_runner(say_lines, nonsense);
    load(f, GOOD "python");
    assert_non_null(strstr(f->cases.at[0].why_not, "line 1: expected"));
    osw_gen_input_set_runner(NULL, NULL);
}

static int parse(struct fixture *f, const char *text, struct osw_error *err)
{
    struct osw_gen_list list;

    osw_gen_list_begin(&list, f->arena);
    return osw_gen_list_finish(&list,
                               osw_gen_json_parse(f->arena, &f->op, text,
                                                  strlen(text), "g.json",
                                                  &list.sink, err),
                               &f->cases, err);
}

static void numbers_and_strings_go_into_holes_as_written(void **state)
{
    static const char text[] =
        "{\"correctness\": [{\"case\": \"((T([{n}], f32), {v}), {k})\","
        " \"for\": {\"n\": [\"2, 3\"], \"v\": [1e-3], \"k\": [\"{}\"]}}]}";
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    assert_int_equal(parse(f, text, &f->err), 0);
    assert_int_equal(f->cases.n, 1);
    assert_string_equal(f->cases.at[0].text, "((T([2, 3], f32), 0.001), {})");
}

static void true_and_false_are_pythons_words(void **state)
{
    static const char text[] =
        "{\"correctness\": [{\"case\": \"((T([4], f32), {b}), {})\","
        " \"for\": {\"b\": [true, false, \"True\"]}}]}";
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    assert_int_equal(parse(f, text, &f->err), 0);
    assert_int_equal(f->cases.n, 3);
    assert_string_equal(f->cases.at[0].text, "((T([4], f32), True), {})");
    assert_string_equal(f->cases.at[1].text, "((T([4], f32), False), {})");
    assert_string_equal(f->cases.at[2].text, f->cases.at[0].text);
}

static void dictionaries_are_no_holes(void **state)
{
    static const char text[] =
        "{\"correctness\": [{\"case\": \"((T([{n}], f32),), {'alpha': 1})\","
        " \"for\": {\"n\": [5]}}]}";
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    assert_int_equal(parse(f, text, &f->err), 0);
    assert_string_equal(f->cases.at[0].text, "((T([5], f32),), {'alpha': 1})");
}

static void rules_of_the_op_apply_where_a_case_has_the_argument(void **state)
{
    static const struct osw_fill_rule rules[] = {{"arg1", "index(9)"}};
    static const char text[] =
        "{\"correctness\": [\"((T([5], f32),), {})\","
        " \"((T([5], f32), T([2], i64)), {})\","
        " {\"case\": \"((T([5], f32), T([2], i64)), {})\","
        "  \"fill\": {\"arg1\": \"permutation\"}}]}";
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    f->op.fills = rules;
    f->op.n_fills = 1;
    assert_int_equal(parse(f, text, &f->err), 0);
    assert_string_equal(f->cases.at[0].fill, "normal");
    assert_string_equal(f->cases.at[1].fill, "normal,index(9)");
    assert_string_equal(f->cases.at[2].fill, "normal,permutation");
}

#define CASES(x) "{\"correctness\": [" x "]}"

static void each_bad_document_is_named_by_its_place(void **state)
{
    static const struct {
        const char *text;
        const char *want[2];
    } rows[] = {
        /* clang-format off */
        { "{\"correctness\": [",          { "g.json:1:", "" } },
        { "[]",                           { "g.json", "expected an object" } },
        { "{}",                           { "g.json", "expected at least one case" } },
        { "{\"correctnes\": []}",         { "unknown key", "did you mean 'correctness'" } },
        { "{\"correctness\": {}}",        { "key 'correctness'", "expected a list" } },
        { CASES("3"),                     { "key 'correctness[0]'", "expected a case as a string" } },
        { CASES("{}"),                    { "key 'correctness[0]'", "found an object" } },
        { CASES("\"((T([4], f32),), {})\", \"((T([4], f33),), {})\""),
          { "key 'correctness[1]': column 10: expected", "" } },
        { "{\"performance\": [\"((T([4, f32),), {})\"]}",
          { "key 'performance[0]': column 9: expected", "" } },
        { CASES("{\"case\": 1}"),         { "key 'correctness[0].case'", "expected a string" } },
        { CASES("{\"case\": \"(({n},), {})\"}"),
          { "key 'correctness[0].case'", "no values for '{n}' in 'for'" } },
        { CASES("{\"case\": \"((1,), {})\", \"for\": {\"n\": [1]}}"),
          { "key 'correctness[0].case'", "no hole '{n}' in the case" } },
        { CASES("{\"case\": \"(({n},), {})\", \"for\": {\"n\": []}}"),
          { "key 'correctness[0].for.n'", "at least one value" } },
        { CASES("{\"case\": \"(({n},), {})\", \"for\": {\"n\": [[1]]}}"),
          { "key 'correctness[0].for.n[0]'", "expected a number, a string, true or false, found a list" } },
        { CASES("{\"case\": \"(({n},), {})\", \"for\": [1]}"),
          { "key 'correctness[0].for'", "expected an object" } },
        { CASES("{\"case\": \"(({n},), {})\", \"for\": {\"n\": [1, \"x y\"]}}"),
          { ", in '((x y,), {})'", "key 'correctness[0].case': column" } },
        { CASES("{\"case\": \"((1,), {})\", \"fills\": {}}"),
          { "unknown key", "did you mean 'fill'" } },
        { CASES("{\"case\": \"((1,), {})\", \"fill\": {\"arg0\": \"norml\"}}"),
          { "key 'correctness[0].fill.arg0'", "found 'norml'" } },
        { CASES("{\"case\": \"((1,), {})\", \"fill\": {\"arg1\": \"normal\"}}"),
          { "key 'correctness[0].case'", "fill for 'arg1': expected an argument" } },
        { CASES("{\"case\": \"((T([0], f32),), {})\", \"fill\": {\"arg0\": \"index(numel(arg0) - 1)\"}}"),
          { "fill for 'arg0'", "index(n) needs a whole n >= 0" } },
        { CASES("{\"trace\": \"nowhere.txt\"}"),
          { "key 'correctness[0].trace'", "nowhere.txt" } },
        { CASES("{\"trace\": \"/etc/hostname\"}"),
          { "key 'correctness[0].trace'", "from the op's folder on" } },
        { CASES("{\"trace\": \"../add__Tensor/calls.txt\"}"),
          { "key 'correctness[0].trace'", "no call of lonely.default" } },
        { CASES("{\"trace\": \"../empty/README.md\"}"),
          { "key 'correctness[0].trace'", "README.md:1" } },
        { CASES("{\"trace\": \"calls.txt\", \"top\": -1}"),
          { "key 'correctness[0].top'", "" } },
        { CASES("{\"trace\": \"calls.txt\", \"for\": {}}"),
          { "unknown key", "correctness[0].for" } },
        /* clang-format on */
    };
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].text);
        f->cases.n = 77;
        assert_int_equal(parse(f, rows[i].text, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        for (size_t k = 0; k < 2; k++)
            if (!strstr(err.text, rows[i].want[k]))
                fail_msg("found: %s", err.text);
        assert_int_equal(f->cases.n, 77); /* untouched */
    }
}

static void a_case_must_fit_the_schema(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    load(f, GOOD "scale");
    assert_int_equal(parse(f, CASES("\"((T([4], f32), 1.0, 2.0), {})\""), &err),
                     -1);
    assert_non_null(strstr(err.text, "g.json: key 'correctness[0]'"));
}

/* 101^3 is more than a million: refused before anything is expanded. */
static void expansion_is_bounded(void **state)
{
    struct fixture *f = *state;
    char text[4096] = CASES("{\"case\": \"(({a}, {b}, {c}, {d}, {e}), {})\", "
                            "\"for\": {\"a\": [N], \"b\": [N], \"c\": [N], "
                            "\"d\": [N], \"e\": [N]}}");
    char list[512] = "0", out[4096];
    size_t used = 0;

    for (int i = 0; i < 100; i++)
        strcat(list, ",0");
    for (const char *s = text; *s; s++)
        if (*s == 'N')
            used += (size_t)sprintf(out + used, "%s", list);
        else
            out[used++] = *s;
    out[used] = '\0';
    load(f, GOOD "lonely");
    assert_int_equal(parse(f, out, &f->err), -1);
    assert_non_null(strstr(f->err.text, "more than 1000000000 combinations"));
}

/* What was expected, and what was taken: at most two. */
struct taking {
    size_t expected, n;
};

static int take_two(void *arg, const struct osw_gen_case *c,
                    struct osw_error *err)
{
    struct taking *t = arg;

    assert_non_null(c->text);
    return t->n++ < 2 ? 0 : osw_fail(err, OSW_NO_MEMORY, "full");
}

static int expect_few(void *arg, size_t n, struct osw_error *err)
{
    struct taking *t = arg;

    t->expected = n;
    return n < 100 ? 0 : osw_fail(err, OSW_NO_MEMORY, "%zu are too many", n);
}

static void cases_come_one_by_one_until_no_more_is_taken(void **state)
{
    static const char text[] =
        CASES("{\"case\": \"(({a}, {b}), {})\", "
              "\"for\": {\"a\": [1, 2, 3], \"b\": [N]}}");
    static const struct {
        const char *b, *why;
        size_t expected, n;
    } rows[] = {
        {"4", "full", 3, 3}, /* the third is refused */
        {"4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4",
         "102 are too many", 102, 0},
    };
    struct fixture *f = *state;

    load(f, GOOD "lonely");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct taking t = {0, 0};
        struct osw_gen_sink sink = {.arena = osw_arena_create(),
                                    .take = take_two,
                                    .expect = expect_few,
                                    .arg = &t};
        const char *hole = strchr(text, 'N');
        struct osw_error err = OSW_ERROR_INIT;
        char doc[1024];

        snprintf(doc, sizeof(doc), "%.*s%s%s", (int)(hole - text), text,
                 rows[i].b, hole + 1);
        assert_int_equal(osw_gen_json_parse(f->arena, &f->op, doc, strlen(doc),
                                            "g.json", &sink, &err),
                         -1);
        assert_string_equal(err.text, rows[i].why);
        assert_int_equal(t.expected, rows[i].expected);
        assert_int_equal(t.n, rows[i].n);
        osw_arena_destroy(sink.arena);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_gen_cases cases;
        struct osw_op op;
        osw_arena_t *arena = osw_arena_create();
        int rc;

        assert_int_equal(osw_op_load(arena, GOOD "scale", "cpu", &op, &err), 0);
        chaos_arm(failures);
        rc = osw_gen_input_load(arena, &op, &cases, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(holes_take_every_combination_the_last_name_fastest),
        T(traces_give_the_most_called_cases_of_the_op),
        T(a_generator_that_runs_code_gives_no_cases_and_says_why),
        T(a_runner_makes_its_lines_cases),
        T(numbers_and_strings_go_into_holes_as_written),
        T(true_and_false_are_pythons_words),
        T(dictionaries_are_no_holes),
        T(rules_of_the_op_apply_where_a_case_has_the_argument),
        T(each_bad_document_is_named_by_its_place),
        T(a_case_must_fit_the_schema),
        T(expansion_is_bounded),
        T(cases_come_one_by_one_until_no_more_is_taken),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/gen_input", tests, NULL, NULL);
}

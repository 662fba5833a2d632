/* tests/unit/ops/test_suite.c - suites: which cases a campaign asks for */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/cases/suite.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define CALLS     "tests/data/ops/good/add__Tensor/calls.txt"

struct fixture {
    osw_arena_t *arena;
    struct osw_catalog catalog;
    struct osw_suite_request request;
    struct osw_suite_list list;
    const struct osw_suite_item *items;
    size_t n;
    struct osw_error err;
};

static void scan(struct fixture *f, const char *root)
{
    assert_int_equal(
        osw_catalog_scan(f->arena, &root, 1, "cpu", &f->catalog, &f->err), 0);
}

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    scan(&f, "tests/data/ops/good");
    f.request.catalog = &f.catalog;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_suite_list_free(&f->list);
    osw_arena_destroy(f->arena);
    return 0;
}

static int expand(struct fixture *f, const char *suite)
{
    int rc;

    osw_suite_list_free(&f->list);
    rc = osw_suite_expand(f->arena, osw_suite_find(suite), &f->request,
                          &f->list, &f->err);
    f->items = f->list.items;
    f->n = f->list.n;
    return rc;
}

static void expand_ok(struct fixture *f, const char *suite)
{
    if (expand(f, suite) < 0)
        fail_msg("%s", f->err.text);
}

/* "op case[ fill][ xCOUNT][ !why]" of the i-th item. */
static const char *line(const struct fixture *f, size_t i)
{
    static char text[512];
    const struct osw_suite_item *it = &f->items[i];
    size_t n;

    assert_true(i < f->n);
    n = (size_t)snprintf(text, sizeof(text), "%s %s %s", it->op_name,
                         it->case_text, it->fill);
    if (it->count)
        n += (size_t)snprintf(text + n, sizeof(text) - n, " x%llu",
                              (unsigned long long)it->count);
    if (it->why_not)
        snprintf(text + n, sizeof(text) - n, " !%s", it->why_not);
    return text;
}

static void smoke_is_the_first_case_of_every_op(void **state)
{
    struct fixture *f = *state;

    expand_ok(f, "smoke");
    assert_int_equal(f->n, 4); /* python has none that are declared */
    assert_string_equal(
        line(f, 0),
        "add.Tensor ((T([2, 3], f16), T([2, 3], f16)), {}) normal,normal x3");
    assert_string_equal(line(f, 1),
                        "add_.Tensor ((T([3], f32), T([3], f32)), {}) "
                        "normal,normal");
    assert_string_equal(line(f, 2),
                        "lonely.default ((T([3], f32),), {}) normal");
    assert_string_equal(line(f, 3),
                        "my.scale ((T([4, 8], f32), 2.0), {}) normal");
    assert_false(f->items[3].performance);
}

static void custom_ops_is_all_cases_and_what_is_timed(void **state)
{
    const char *const only = "scale";
    struct fixture *f = *state;

    f->request.ops = &only;
    f->request.n_ops = 1;
    expand_ok(f, "custom_ops");
    assert_int_equal(f->n, 9);
    assert_false(f->items[7].performance);
    assert_true(f->items[8].performance);
}

/* The case that stands in both lists of add__Tensor appears once. */
static void a_case_for_both_purposes_is_one_case(void **state)
{
    const char *const only = "add.Tensor";
    struct fixture *f = *state;

    f->request.ops = &only;
    f->request.n_ops = 1;
    expand_ok(f, "custom_ops");
    assert_int_equal(f->n, 2);
    assert_false(f->items[0].performance);
    assert_true(f->items[1].performance);
}

static void traces_are_matched_to_ops_and_added_over_files(void **state)
{
    const char *const files[] = {CALLS, CALLS};
    struct fixture *f = *state;

    f->request.traces = files;
    f->request.n_traces = 2;
    expand_ok(f, "traces");
    assert_int_equal(f->n, 4);
    assert_string_equal(
        line(f, 0),
        "add.Tensor ((T([2, 3], f16), T([2, 3], f16)), {}) normal,normal x6");
    assert_string_equal(line(f, 1),
                        "add.Tensor ((T([5], f32), 1), {}) normal x2");
    assert_string_equal(line(f, 3),
                        "aten.mul.Tensor ((T([2], f32), T([2], f32)), {})  "
                        "x198 !no folder of this op");
    assert_null(f->items[3].op);
    assert_true(f->items[0].performance);
}

static void a_folder_of_traces_is_read_whole(void **state)
{
    const char *const folder = "tests/data/ops/good/add__Tensor";
    const char *const only = "aten.mul.*";
    struct fixture *f = *state;

    f->request.traces = &folder;
    f->request.n_traces = 1;
    f->request.ops = &only;
    f->request.n_ops = 1;
    expand_ok(f, "traces");
    assert_int_equal(f->n, 1);
    assert_string_equal(f->items[0].op_name, "aten.mul.Tensor");
}

static void the_top_is_kept_per_op(void **state)
{
    const char *const file = CALLS;
    struct fixture *f = *state;

    f->request.traces = &file;
    f->request.n_traces = 1;
    f->request.top = 1;
    expand_ok(f, "traces");
    assert_int_equal(f->n, 2);
    assert_int_equal(f->items[0].count, 7);
    f->request.top_by_size = true;
    expand_ok(f, "traces");
    assert_int_equal(f->items[0].count, 3); /* 2 x 6 elements */
}

static void a_call_that_does_not_fit_the_op_says_why(void **state)
{
    const char *const file = "tests/data/campaign/good/misfit.txt";
    struct fixture *f = *state;

    f->request.traces = &file;
    f->request.n_traces = 1;
    expand_ok(f, "traces");
    assert_int_equal(f->n, 1);
    assert_string_equal(f->items[0].op_name, "my.scale");
    assert_non_null(f->items[0].op);
    assert_non_null(f->items[0].why_not);
    assert_string_equal(f->items[0].fill, "");
}

static void a_given_case_needs_one_op_and_is_not_the_suites(void **state)
{
    const char *const ops[] = {"scale", "lonely"};
    struct fixture *f = *state;

    f->request.given = "((T([7], f16), 3.0), {})";
    f->request.ops = ops;
    f->request.n_ops = 1;
    expand_ok(f, "smoke");
    assert_int_equal(f->n, 1);
    assert_string_equal(line(f, 0), "my.scale ((T([7], f16), 3.0), {}) normal");
    f->request.fill = "offset( 1/2 )";
    expand_ok(f, "smoke");
    assert_string_equal(line(f, 0),
                        "my.scale ((T([7], f16), 3.0), {}) offset(0.5)");

    f->request.n_ops = 2;
    assert_int_equal(expand(f, "smoke"), -1);
    assert_string_equal(f->err.text,
                        "option '--case' needs '--ops' with one op, "
                        "found 2");
    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.n_ops = 0;
    assert_int_equal(expand(f, "smoke"), -1);
    assert_string_equal(f->err.text,
                        "option '--case' needs '--ops' with one op, "
                        "found 0");
}

static void wrong_requests_are_refused_by_name(void **state)
{
    static const char *const bert = CALLS;
    static const char *const nowhere = "tests/data/nowhere.txt";
    static const char *const scale = "scale";
    static const char *const typo = "scal";
    static const char *const no_typo = "!lonley";
    static const struct {
        const char *suite;
        struct osw_suite_request r;
        const char *want;
    } rows[] = {
        /* clang-format off */
        { "smoke",  { .ops = &typo, .n_ops = 1 },    "no op 'scal' (did you mean 'scale'?)" },
        { "smoke",  { .ops = &no_typo, .n_ops = 1 }, "no op 'lonley' (did you mean 'lonely'?)" },
        { "traces", { .traces = &nowhere, .n_traces = 1 }, "nowhere.txt" },
        { "traces", { .traces = &bert, .n_traces = 1, .ops = &typo, .n_ops = 1 }, "no op 'scal'" },
        { "smoke",  { .given = "((T([7, f16),), {})", .ops = &scale, .n_ops = 1 },
          "option '--case': column 9: expected" },
        { "smoke",  { .given = "((T([7], f16),), {'beta': 1})", .ops = &scale, .n_ops = 1 },
          "option '--case': " },
        { "smoke",  { .given = "((T([7], f16),), {})", .fill = "norml", .ops = &scale, .n_ops = 1 },
          "option '--fill': 'norml': column 1" },
        { "smoke",  { .given = "((T([7], f16),), {})", .fill = "normal,bool", .ops = &scale, .n_ops = 1 },
          "expected one for each of 1 tensors, found 2" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        f->err = (struct osw_error)OSW_ERROR_INIT;
        f->request = rows[i].r;
        f->request.catalog = &f->catalog;
        assert_int_equal(expand(f, rows[i].suite), -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        if (!strstr(f->err.text, rows[i].want))
            fail_msg("found: %s", f->err.text);
    }
}

static void a_broken_folder_is_an_error_unless_nobody_asked_for_it(void **state)
{
    const char *const ops[] = {"!misspelt_key", "!bad_schema",
                               "!no_cases_in_list"};
    struct fixture *f = *state;

    scan(f, "tests/data/ops/bad");
    assert_int_equal(expand(f, "smoke"), -1);
    assert_non_null(strstr(f->err.text, "no_cases_in_list/gen_input.json"));
    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.ops = ops + 2;
    f->request.n_ops = 1;
    assert_int_equal(expand(f, "smoke"), -1);
    assert_non_null(strstr(f->err.text, "bad_schema/op.json"));
    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.ops = ops;
    f->request.n_ops = 3;
    expand_ok(f, "smoke");
    assert_int_equal(f->n, 0);
}

/* Broken folders by these patterns among those of good ops. */
static void a_broken_folder_costs_its_own_op_alone(void **state)
{
    static const struct {
        const char *patterns[2];
        size_t n, n_broken, n_items;
    } rows[] = {
        /* clang-format off */
        { { NULL },                             0, 3, 7 },
        { { "scale", "misspelt_key" },          2, 1, 2 },
        { { "scale", "bad_schema.default" },    2, 1, 2 },
        { { "scale", "no_cases_in_list" },      2, 1, 2 },
        { { "scale" },                          1, 0, 1 },
        { { "!bad_schema", "!no_cases*" },      2, 1, 5 },
        /* clang-format on */
    };
    const char *const roots[] = {"tests/data/ops/good", "tests/data/ops/bad"};
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 2, "cpu", &f->catalog, &f->err), 0);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        size_t n_broken = 0;

        print_message("  row %zu\n", i);
        f->request.ops = rows[i].patterns;
        f->request.n_ops = rows[i].n;
        expand_ok(f, "smoke");
        for (size_t k = 0; k < f->n; k++)
            if (f->items[k].broken) {
                n_broken++;
                assert_non_null(strstr(f->items[k].why_not, "ops/bad/"));
                assert_non_null(strstr(f->items[k].why_not, ".json: "));
            }
        assert_int_equal(n_broken, rows[i].n_broken);
        assert_int_equal(f->n, rows[i].n_items);
    }
}

static void calls_of_a_broken_op_say_what_is_wrong_with_it(void **state)
{
    static const char *const traces[] = {"tests/data/campaign/good/broken.txt"};
    const char *const roots[] = {"tests/data/ops/good", "tests/data/ops/bad"};
    struct fixture *f = *state;

    assert_int_equal(
        osw_catalog_scan(f->arena, roots, 2, "cpu", &f->catalog, &f->err), 0);
    f->request.traces = traces;
    f->request.n_traces = 1;
    expand_ok(f, "traces");
    assert_int_equal(f->n, 2);
    assert_string_equal(f->items[0].op_name, "aten.misspelt_key.default");
    assert_true(f->items[0].broken);
    assert_non_null(strstr(f->items[0].why_not, "'tolerence'"));
    assert_false(f->items[1].broken);
    assert_string_equal(f->items[1].why_not, "no folder of this op");
}

static void a_folder_without_traces_is_refused_wherever_it_stands(void **state)
{
    static const char none[] = "tests/data/ops/good/scale";
    static const char *const traces[] = {CALLS, none, CALLS};
    static const char *const ops[] = {"add.Tensor"};
    struct fixture *f = *state;

    for (size_t first = 0; first < 2; first++)
        for (size_t n_ops = 0; n_ops < 2; n_ops++) {
            f->err = (struct osw_error)OSW_ERROR_INIT;
            f->request.traces = traces + first;
            f->request.n_traces = 2;
            f->request.ops = ops;
            f->request.n_ops = n_ops;
            assert_int_equal(expand(f, "traces"), -1);
            assert_int_equal(f->err.status, OSW_BAD_INPUT);
            assert_non_null(strstr(f->err.text, none));
        }
}

static void the_table_ends(void **state)
{
    size_t n = 0;

    (void)state;
    while (osw_suite_at(n)) {
        assert_ptr_equal(osw_suite_find(osw_suite_at(n)->name),
                         osw_suite_at(n));
        n++;
    }
    assert_true(n > 1);
    assert_null(osw_suite_find("smok"));
}

static void a_name_without_overload_is_that_of_the_trace(void **state)
{
    static const struct {
        const char *ops[2];
        size_t n_ops, n;
        const char *first; /* op */
    } rows[] = {
        {{"mul"}, 1, 1, "aten.mul.Tensor"}, /* which no op covers */
        {{"mul.Tensor"}, 1, 1, "aten.mul.Tensor"},
        {{"mul.*"}, 1, 1, "aten.mul.Tensor"},
        {{"add"}, 1, 3, "add.Tensor"},
        {{"aten.add"}, 1, 3, "add.Tensor"},
        {{"!add", "!scale"}, 2, 1, "aten.mul.Tensor"},
    };
    static const char *const traces[] = {CALLS};
    struct fixture *f = *state;

    f->request.traces = traces;
    f->request.n_traces = 1;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  case: %s\n", rows[i].ops[0]);
        f->request.ops = rows[i].ops;
        f->request.n_ops = rows[i].n_ops;
        expand_ok(f, "traces");
        assert_int_equal(f->n, rows[i].n);
        assert_string_equal(f->items[0].op_name, rows[i].first);
    }
    f->request.ops = (const char *const[]){"ad"};
    f->request.n_ops = 1;
    assert_int_equal(expand(f, "traces"), -1);
    assert_string_equal(f->err.text, "no op 'ad' (did you mean 'add'?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_ends),
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(smoke_is_the_first_case_of_every_op),
        T(custom_ops_is_all_cases_and_what_is_timed),
        T(a_case_for_both_purposes_is_one_case),
        T(traces_are_matched_to_ops_and_added_over_files),
        T(a_folder_of_traces_is_read_whole),
        T(a_folder_without_traces_is_refused_wherever_it_stands),
        T(the_top_is_kept_per_op),
        T(a_call_that_does_not_fit_the_op_says_why),
        T(a_given_case_needs_one_op_and_is_not_the_suites),
        T(wrong_requests_are_refused_by_name),
        T(a_broken_folder_is_an_error_unless_nobody_asked_for_it),
        T(a_broken_folder_costs_its_own_op_alone),
        T(calls_of_a_broken_op_say_what_is_wrong_with_it),
#undef T
        cmocka_unit_test_setup_teardown(
            a_name_without_overload_is_that_of_the_trace, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("ops/suite", tests, NULL, NULL);
}

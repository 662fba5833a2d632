/* tests/unit/ops/test_schema.c - PyTorch's `func:` language, both ways */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/schema.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_text text;
    struct osw_schema schema;
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

static void parse(struct fixture *f, const char *text)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_schema_parse(f->arena, text, strlen(text), &f->schema, &err) < 0)
        fail_msg("%s\n  in %s", err.text, text);
}

static const char *print(struct fixture *f)
{
    osw_text_reset(&f->text);
    osw_schema_print(&f->text, &f->schema);
    return osw_text_str(&f->text);
}

/* Every line of a file prints as it was written; returns their number. */
static size_t round_trip_file(struct fixture *f, const char *path)
{
    FILE *in = fopen(path, "r");
    size_t n = 0, size = 0;
    char *line = NULL;

    assert_non_null(in);
    while (getline(&line, &size, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        osw_arena_reset(f->arena);
        parse(f, line);
        assert_string_equal(print(f), line);
        n++;
    }
    free(line);
    fclose(in);
    return n;
}

static void every_line_of_pytorch_prints_as_it_was_written(void **state)
{
    assert_int_equal(
        round_trip_file(*state, "tests/data/schemas/pytorch_func_lines.txt"),
        2637);
}

static void every_line_of_executorch_prints_as_it_was_written(void **state)
{
    assert_int_equal(
        round_trip_file(*state, "tests/data/schemas/all_func_schemas.txt"),
        256);
}

static void other_spellings_print_canonically(void **state)
{
    static const struct {
        const char *text, *canonical;
    } rows[] = {
        /* clang-format off */
        { "func: abs(Tensor self) -> Tensor", "abs(Tensor self) -> Tensor" },
        { "func(Tensor self) -> Tensor", "func(Tensor self) -> Tensor" },
        { "func::abs", "func::abs" },
        { " my :: op . v2 ( ) -> ( ) ", "my::op.v2() -> ()" },
        { "f(Tensor(a|b) x)->Tensor(a|b)", "f(Tensor(a|b) x) -> Tensor(a|b)" },
        { "f( Tensor( a!->* ) x,int[ 2 ]?y = [ 1,2 ])->(int,int n)",
          "f(Tensor(a! -> *) x, int[2]? y=[ 1,2 ]) -> (int, int n)" },
        { "f(Tensor?[]? x, *, Foo z=Bar) -> (Tensor)",
          "f(Tensor?[]? x, *, Foo z=Bar) -> (Tensor)" },
        /* clang-format on */
    };

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct fixture *f = *state;

        print_message("  schema: %s\n", rows[i].text);
        parse(f, rows[i].text);
        assert_string_equal(print(f), rows[i].canonical);
    }
}

static void a_schema_says_what_its_parts_are(void **state)
{
    struct fixture *f = *state;
    const struct osw_schema *s = &f->schema;

    parse(f, "aten::split.out(Tensor(a -> *) self, SymInt[2] sizes=1, *, "
             "Tensor?[] rest, Tensor(b!)[]? out=None) -> (Tensor(b!)[] out, "
             "QScheme)");
    assert_string_equal(s->ns, "aten");
    assert_string_equal(s->name, "split");
    assert_string_equal(s->overload, "out");
    assert_true(s->has_signature);
    assert_int_equal(s->n_args, 4);
    assert_int_equal(s->n_returns, 2);

    assert_int_equal(s->args[0].type.base, OSW_TYPE_TENSOR);
    assert_string_equal(s->args[0].type.alias, "a -> *");
    assert_false(s->args[0].written);
    assert_false(s->args[0].kwarg_only);
    assert_null(s->args[0].default_text);

    assert_int_equal(s->args[1].type.base, OSW_TYPE_SYM_INT);
    assert_true(s->args[1].type.list);
    assert_int_equal(s->args[1].type.list_size, 2);
    assert_string_equal(s->args[1].default_text, "1");
    assert_int_equal(s->args[1].value.kind, OSW_VALUE_INT);
    assert_int_equal(s->args[1].value.u.i, 1);

    assert_true(s->args[2].kwarg_only);
    assert_true(s->args[2].type.item_optional);
    assert_false(s->args[2].type.optional);
    assert_int_equal(s->args[2].type.list_size, OSW_TYPE_ANY_SIZE);

    assert_true(s->args[3].written);
    assert_true(s->args[3].type.optional);
    assert_false(s->args[3].type.item_optional);
    assert_int_equal(s->args[3].value.kind, OSW_VALUE_NONE);

    assert_string_equal(s->returns[0].name, "out");
    assert_true(s->returns[0].type.written);
    assert_null(s->returns[1].name);
    assert_int_equal(s->returns[1].type.base, OSW_TYPE_Q_SCHEME);

    assert_int_equal(osw_schema_arg_index(s, "rest"), 2);
    assert_int_equal(osw_schema_arg_index(s, "res"), -1);
}

static void a_name_alone_has_no_signature(void **state)
{
    struct fixture *f = *state;

    parse(f, "aten::add.Tensor");
    assert_false(f->schema.has_signature);
    parse(f, "add() -> ()");
    assert_true(f->schema.has_signature);
    assert_null(f->schema.ns);
    assert_string_equal(f->schema.overload, "");
}

static void defaults_are_values_where_they_can_be(void **state)
{
    static const struct {
        const char *text;
        enum osw_value_kind kind;
        int64_t i;
    } rows[] = {
        {"None", OSW_VALUE_NONE, 0},   {"True", OSW_VALUE_BOOL, 0},
        {"-100", OSW_VALUE_INT, -100}, {"1e-05", OSW_VALUE_FLOAT, 0},
        {"[0,1]", OSW_VALUE_LIST, 0},  {"'mean'", OSW_VALUE_STRING, 0},
        {"inf", OSW_VALUE_FLOAT, 0},   {"Mean", OSW_VALUE_INT, 1},
        {"Sum", OSW_VALUE_INT, 2},     {"long", OSW_VALUE_DTYPE, 0},
        {"f16", OSW_VALUE_DTYPE, 0},   {"contiguous_format", OSW_VALUE_WORD, 0},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_schema_arg *a;
        char text[100];

        print_message("  default: %s\n", rows[i].text);
        snprintf(text, sizeof(text), "f(int x=%s) -> ()", rows[i].text);
        parse(f, text);
        a = &f->schema.args[0];
        assert_string_equal(a->default_text, rows[i].text);
        assert_int_equal(a->value.kind, rows[i].kind);
        if (a->value.kind == OSW_VALUE_INT)
            assert_int_equal(a->value.u.i, rows[i].i);
        if (a->value.kind == OSW_VALUE_WORD)
            assert_string_equal(a->value.u.s, rows[i].text);
    }
}

static const struct {
    const char *text;
    const char *error;
} bad[] = {
    /* clang-format off */
    { "", "column 1: expected the name of an op, found the end" },
    { "3(Tensor x) -> ()", "column 1: expected the name of an op, found '3'" },
    { "aten:add() -> ()", "column 6: expected ':', found 'add'" },
    { "aten::() -> ()", "column 7: expected the name of an op, found '('" },
    { "add.() -> ()", "column 5: expected the name of an overload, found '('" },
    { "add[] -> ()", "column 4: expected '(', found '['" },
    { "add(Tensor) -> ()", "column 11: expected an argument name, found ')'" },
    { "add(3 x) -> ()", "column 5: expected a type, found '3'" },
    { "add(Tensr x) -> ()", "column 5: expected the type 'Tensor', found 'Tensr'" },
    { "add(tensor? x) -> ()", "column 5: expected the type 'Tensor', found 'tensor'" },
    { "add(Tensor x) -> Tenser", "column 18: expected the type 'Tensor', found 'Tenser'" },
    { "add(Tensor x", "column 13: expected ',' or ')', found the end" },
    { "add(Tensor x,) -> ()", "column 14: expected a type, found ')'" },
    { "add(Tensor x Tensor y) -> ()", "column 14: expected ',' or ')', found 'Tensor'" },
    { "add(Tensor x, int x) -> ()", "column 19: expected an argument name not used before, found 'x'" },
    { "add(*, *, int x) -> ()", "column 8: expected a type, found '*'" },
    { "add(Tensor x, *) -> ()", "column 16: expected ',', found ')'" },
    { "add(Tensor() x) -> ()", "column 12: expected an alias name or '*', found ')'" },
    { "add(Tensor(a x) -> ()", "column 14: expected ')', found 'x'" },
    { "add(Tensor(a|) x) -> ()", "column 14: expected an alias name or '*', found ')'" },
    { "add(int[x] x) -> ()", "column 9: expected a number, found 'x'" },
    { "add(int[0] x) -> ()", "column 9: expected a list size of 1 to 256, found '0'" },
    { "add(int[2 x) -> ()", "column 11: expected ']', found 'x'" },
    { "add(int x=) -> ()", "column 11: expected a value, found ')'" },
    { "add(int x=[1) -> ()", "column 13: expected ',' or ']', found ')'" },
    { "add(str x='a) -> ()", "column 20: expected ' at the end of the text, found the end" },
    { "add(Tensor x)", "column 14: expected '->', found the end" },
    { "add(Tensor x) - > ()", "column 15: expected '->', found '-'" },
    { "add(Tensor x) ->", "column 17: expected a type, found the end" },
    { "add(Tensor x) -> (Tensor", "column 25: expected ',' or ')', found the end" },
    { "add(Tensor x) -> Tensor, Tensor", "column 24: expected nothing more, found ','" },
    { "add(Tensor x) -> Tensor y z", "column 27: expected nothing more, found 'z'" },
    /* clang-format on */
};

static void bad_schemas_are_refused_by_column(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_schema s = {.n_args = 77};

        print_message("  bad: %s\n", bad[i].text);
        assert_int_equal(osw_schema_parse(f->arena, bad[i].text,
                                          strlen(bad[i].text), &s, &err),
                         -1);
        assert_string_equal(err.text, bad[i].error);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_int_equal(s.n_args, 77);
    }
}

/* f(int a0,int a1,...) -> (int,int,...), with so many of each. */
static int parse_many(struct fixture *f, int n_args, int n_returns,
                      struct osw_error *err)
{
    osw_text_reset(&f->text);
    osw_text_add(&f->text, "f(");
    for (int i = 0; i < n_args; i++)
        osw_text_printf(&f->text, "%sint a%d", i ? "," : "", i);
    osw_text_add(&f->text, ") -> (");
    for (int i = 0; i < n_returns; i++)
        osw_text_printf(&f->text, "%sint", i ? "," : "");
    osw_text_add(&f->text, ")");
    return osw_schema_parse(f->arena, f->text.data, f->text.used, &f->schema,
                            err);
}

static void arguments_returns_and_bytes_are_bounded(void **state)
{
    struct osw_error args = OSW_ERROR_INIT, returns = OSW_ERROR_INIT;
    struct osw_error bytes = OSW_ERROR_INIT;
    struct fixture *f = *state;
    char *blanks = calloc(1, OSW_SCHEMA_MAX_BYTES + 1);

    assert_int_equal(parse_many(f, 256, 256, &args), 0);
    assert_int_equal(parse_many(f, 257, 1, &args), -1);
    assert_string_equal(args.text, "column 2197: expected at most 256 "
                                   "arguments, found 'int'");
    assert_int_equal(parse_many(f, 0, 257, &returns), -1);
    assert_string_equal(returns.text, "column 1033: expected at most 256 "
                                      "returns, found 'int'");
    assert_non_null(blanks);
    assert_int_equal(osw_schema_parse(f->arena, blanks,
                                      OSW_SCHEMA_MAX_BYTES + 1, &f->schema,
                                      &bytes),
                     -1);
    assert_string_equal(bytes.text, "column 65537: expected a schema of at "
                                    "most 65536 bytes, found 65537");
    free(blanks);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int n_failures = 0;

    /* Long names, so that the arena needs several blocks. */
    osw_text_add(&f->text, "f(");
    for (int i = 0; i < 200; i++)
        osw_text_printf(&f->text, "%sTensor(a!)[] a%0200d=x%050d",
                        i ? ", " : "", i, 0);
    osw_text_add(&f->text, ") -> (Tensor(b) out, int)");
    for (bool struck = true; struck; n_failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena;
        int rc = -1;

        chaos_arm(n_failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_schema_parse(arena, f->text.data, f->text.used, &f->schema,
                                  &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_arena_destroy(arena);
    }
    assert_in_range(n_failures, 200, 1000); /* one per alias at least */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(every_line_of_pytorch_prints_as_it_was_written),
        T(every_line_of_executorch_prints_as_it_was_written),
        T(other_spellings_print_canonically),
        T(a_schema_says_what_its_parts_are),
        T(a_name_alone_has_no_signature),
        T(defaults_are_values_where_they_can_be),
        T(bad_schemas_are_refused_by_column),
        T(arguments_returns_and_bytes_are_bounded),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/schema", tests, NULL, NULL);
}

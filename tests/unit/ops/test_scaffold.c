/* tests/unit/ops/test_scaffold.c - files of a new op, from its schema */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/scaffold/scaffold.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void parse(osw_arena_t *arena, const char *text, struct osw_schema *out)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_schema_parse(arena, text, strlen(text), out, &err) < 0)
        fail_msg("%s: %s", text, err.text);
}

static void a_schema_that_cannot_be_made_up_is_refused(void **state)
{
    static const struct {
        const char *schema, *why; /* NULL: it can */
    } rows[] = {
        {"f(Tensor x) -> Tensor", NULL},
        {"f(Tensor[] xs) -> Tensor[]", NULL},
        {"f(Tensor x, Device? d=None) -> Tensor", NULL},
        {"f(Tensor x, int[3] k, str s) -> (Tensor, Tensor)", NULL},
        {"f", "schema 'f': expected arguments and returns, as in "
              "'f(Tensor x) -> Tensor'"},
        {"f(int n) -> Tensor", "schema 'f': expected an argument that is a "
                               "Tensor or a list of them, and is required"},
        {"f(Tensor(a!) x, Tensor(b!)? y) -> ()", NULL},
        {"f(Tensor x, ScalarType t) -> Tensor", NULL},
        {"f(Tensor x) -> ()",
         "schema 'f': expected a return, or an argument that it writes, as in "
         "'f(Tensor(a!) x) -> ()'"},
        {"f(Tensor x) -> (Tensor, bool)",
         "schema 'f': return 1 is a bool, expected Tensor"},
        {"f(Tensor x, Storage s) -> Tensor",
         "schema 'f': no value is known for argument 's' of type Storage"},
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    assert_non_null(arena);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_schema schema;

        print_message("  %s\n", rows[i].schema);
        parse(arena, rows[i].schema, &schema);
        assert_int_equal(osw_scaffold_check(&schema, &err),
                         rows[i].why ? -1 : 0);
        assert_string_equal(err.text, rows[i].why ? rows[i].why : "");
    }
    osw_arena_destroy(arena);
}

static void names_are_those_of_functions(void **state)
{
    static const char *const good[] = {"f", "_f", "add_", "F16", "a__b"};
    static const char *const bad[] = {"",    "1f",       "a-b",
                                      "a b", "\xc3\xa9", "a/b"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(good); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_scaffold_check_name(good[i], &err), 0);
    }
    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_scaffold_check_name(bad[i], &err), -1);
    }
}

/* The text of the file whose name ends so. */
static void write_file(const struct osw_scaffold *s, const char *end,
                       struct osw_text *out)
{
    for (const struct osw_scaffold_file *f = osw_scaffold_files; f->name; f++) {
        size_t n = strlen(f->name), m = strlen(end);

        if (n >= m && strcmp(f->name + n - m, end) == 0) {
            f->write(s, out);
            return;
        }
    }
    fail_msg("no file '%s'", end);
}

static void files_say_what_the_schema_says(void **state)
{
    static const char text[] =
        "g(Tensor(a!) self, Tensor[] from, Tensor? w=None, *, "
        "float int=0.5, str mode=\"no\\\\ne\") -> (Tensor(a!), Tensor)";
    static const struct {
        const char *file, *part;
    } rows[] = {
        {"op.json", "str mode=\\\"no"},
        {"gen_input.json", "((T([{n}], {dtype}), [T([{n}], {dtype}), "
                           "T([{n}], {dtype})]), {})"},
        {"gen_input.json", "T([33], f32)), {})"},
        {"_plain.c", "outputs[0] = osw_output_alias(call, 0, 0); /* self"},
        {"_plain.c", "const osw_tensor *w = osw_arg_tensor(call, 2); /* NULL"},
        {"_plain.c", "double int_ = osw_arg_float(call, 3, 0);"},
        {"_plain.c", "/* argument 4, mode: str */"},
        {"_reference.c", "int g_reference(const osw_call *call)"},
        {".cu", "extern \"C\" int g_kernel_impl(const osw_call *call)"},
        {".py", "def g_kernel_impl(self, from_, w=None, *, int=0.5, "
                "mode=None):"},
        {".py", "return self.copy_(1 * total), (2 * total).to(first.dtype)"},
        {"test.sh", "opsweep check g || exit"},
    };
    osw_arena_t *arena = osw_arena_create();
    struct osw_schema schema;
    const struct osw_scaffold s = {"g", &schema};

    (void)state;
    assert_non_null(arena);
    parse(arena, text, &schema);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_text out = OSW_TEXT_INIT;

        write_file(&s, rows[i].file, &out);
        if (!strstr(osw_text_str(&out), rows[i].part))
            fail_msg("%s has no '%s':\n%s", rows[i].file, rows[i].part,
                     osw_text_str(&out));
        osw_text_free(&out);
    }
    osw_arena_destroy(arena);
}

static void languages_are_those_of_the_table(void **state)
{
    (void)state;
    assert_true(osw_scaffold_language("c"));
    assert_true(osw_scaffold_language("cuda"));
    assert_true(osw_scaffold_language("python"));
    assert_false(osw_scaffold_language(""));
    assert_false(osw_scaffold_language("rust"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schema_that_cannot_be_made_up_is_refused),
        cmocka_unit_test(names_are_those_of_functions),
        cmocka_unit_test(files_say_what_the_schema_says),
        cmocka_unit_test(languages_are_those_of_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

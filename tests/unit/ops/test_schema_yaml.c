/* tests/unit/ops/test_schema_yaml.c - schemas out of YAML files of operators */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/schema.h"
#include "ops/notation/schema_yaml.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* "LINE:TEXT\n" of each, blanks in front of schemas left out. */
static int note(void *arg, const struct osw_schema_yaml_found *found,
                struct osw_error *err)
{
    struct osw_text *out = arg;
    const char *text = found->text ? found->text : found->wrong;

    (void)err;
    if (found->text)
        assert_int_equal(strlen(text), found->n);
    osw_text_printf(out, "%llu:%s\n", (unsigned long long)found->line,
                    text + strspn(text, " "));
    return 0;
}

static int read_text(const char *text, struct osw_text *out,
                     struct osw_error *err)
{
    struct osw_schema_yaml y = OSW_SCHEMA_YAML_INIT(note, out);
    int rc = 0;

    for (uint64_t number = 1; rc == 0 && *text; number++) {
        size_t n = strcspn(text, "\n");

        rc = osw_schema_yaml_line(&y, number, text, n, err);
        text += n + (text[n] == '\n');
    }
    if (rc == 0)
        rc = osw_schema_yaml_end(&y, err);
    osw_schema_yaml_free(&y);
    return rc;
}

static void expect_rows(const char *const rows[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct osw_text out = OSW_TEXT_INIT;
        struct osw_error err = OSW_ERROR_INIT;

        if (read_text(rows[i][0], &out, &err) < 0)
            fail_msg("%s\n  in %s", err.text, rows[i][0]);
        if (strcmp(osw_text_str(&out), rows[i][1]) != 0)
            fail_msg("expected\n%sfound\n%sin\n%s", rows[i][1],
                     osw_text_str(&out), rows[i][0]);
        osw_text_free(&out);
    }
}

static void schemas_are_found_in_every_form(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"# nothing\n\n---\n", ""},
        {"- func: f(Tensor a) -> Tensor\n  variants: method\n",
         "1:f(Tensor a) -> Tensor\n"},
        {"# c\n\n- func: f() -> ()\n  dispatch:\n    CPU, CUDA: f_cpu\n\n"
         "# c\n- op: g.out\n  kernels:\n    - arg_meta: null\n"
         "      kernel_name: n::g # why\n",
         "3:f() -> ()\n8:g.out\n"},
        {"- autogen: g.out\n  func: g() -> ()\n  tags: [a,\n    b]\n",
         "2:g() -> ()\n"},
        {"  - func: f() -> ()\n    kernels:\n    - func: no\n  - op: g\n",
         "1:f() -> ()\n4:g\n"},
        {"-\n  func: f() -> ()\n", "2:f() -> ()\n"},
        {"- func: f() -> () # a comment\n", "1:f() -> ()\n"},
        {"- func: my::f(str a=\"#\") -> ()\r\n",
         "1:my::f(str a=\"#\") -> ()\n"},
        {"- func: 'f(str a=''x'') -> ()' # c\n", "1:f(str a='x') -> ()\n"},
        {"- func: \"f(str a=\\\"x # y\\\") -> ()\"\n",
         "1:f(str a=\"x # y\") -> ()\n"},
        {"- func: f(Tensor a) ->\n    Tensor\n  tags: x\n",
         "1:f(Tensor a) -> Tensor\n"},
        {"- func: 'f(Tensor a)\n\n    -> Tensor'\n- op: g\n",
         "1:f(Tensor a) -> Tensor\n4:g\n"},
        {"- func: f() -> ()\n---\n- func: g() -> ()\n...\n",
         "1:f() -> ()\n3:g() -> ()\n"},
        {"- func: f() -> ()\n  doc: |\n    func: no\n    - func: no\n",
         "1:f() -> ()\n"},
    };

    (void)state;
    expect_rows(rows, N_ELEM(rows));
}

static void what_is_not_understood_is_named_by_line_and_column(void **state)
{
    static const char entry[] = "expected '- func: SCHEMA' or '- op: NAME'";
    static char top[128];
    const char *const rows[][2] = {
        {"- func: f() -> ()\nbackend: XLA\n", top},
        {"- op: f\n- variants: method\n- op: g\n",
         "1:f\n2:column 1: expected an entry with 'func: SCHEMA' or "
         "'op: NAME', found neither\n3:g\n"},
        {"- func: >\n    f() -> ()\n",
         "1:column 9: expected a schema in the line of its key, found '>'\n"},
        {"- func:\n    f() -> ()\n",
         "1:column 8: expected a schema in the line "
         "of its key, found nothing\n"},
        {"- {func: f}\n",
         "1:column 1: expected an entry with 'func: SCHEMA' or "
         "'op: NAME', found neither\n"},
        {"- op: f\n\tfunc: g\n", "1:f\n2:column 1: expected blanks before a "
                                 "key, no tab, found '\tfunc: g'\n"},
        {"- op: f\n  variants method\n", "1:f\n2:column 3: expected 'KEY: "
                                         "VALUE', found 'variants method'\n"},
        {"-   op: f\n  func: g\n",
         "1:f\n2:column 3: expected a key below the entry's first one, found "
         "'func: g'\n"},
        {"- func: 'f() -> ()\n- op: g\n",
         "1:column 1: expected a schema that its quote ends, found '''\n"},
        {"- func: 'f' -> g\n",
         "1:column 13: expected nothing more, found '-> g'\n1:f\n"},
        {"- op: 0123456789012345678901234567890123456789xyz w\n  "
         "0123456789012345678901234567890123456789xyz w\n",
         "1:0123456789012345678901234567890123456789xyz w\n2:column 3: "
         "expected 'KEY: VALUE', found "
         "'0123456789012345678901234567890123456789'...\n"},
    };

    (void)state;
    snprintf(top, sizeof(top),
             "1:f() -> ()\n2:column 1: %s, found "
             "'backend: XLA'\n",
             entry);
    expect_rows(rows, N_ELEM(rows));
}

static void columns_of_a_schema_are_those_of_its_line(void **state)
{
    struct osw_text out = OSW_TEXT_INIT;
    struct osw_schema_yaml y = OSW_SCHEMA_YAML_INIT(note, &out);
    struct osw_error err = OSW_ERROR_INIT;
    static const char line[] = "- func: f(Tensor) -> ()";

    (void)state;
    assert_int_equal(0, osw_schema_yaml_line(&y, 1, line, strlen(line), &err));
    assert_string_equal("        f(Tensor) -> ()", osw_text_str(&y.text));
    osw_schema_yaml_free(&y);
    osw_text_free(&out);
}

static void a_file_is_yaml_by_its_first_line(void **state)
{
    static const struct {
        const char *line;
        bool yes;
    } rows[] = {
        {"- func: f() -> ()", true},
        {"  - op: f", true},
        {"-", true},
        {"---", true},
        {"f() -> ()", false},
        {"-1", false},
        {"func: f() -> ()", false},
        {"----", false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_int_equal(rows[i].yes, osw_schema_yaml_begins(
                                          rows[i].line, strlen(rows[i].line)));
}

static void a_schema_without_end_takes_no_memory_without_end(void **state)
{
    struct osw_text out = OSW_TEXT_INIT;
    struct osw_schema_yaml y = OSW_SCHEMA_YAML_INIT(note, &out);
    struct osw_error err = OSW_ERROR_INIT;
    static char line[4096];

    (void)state;
    memset(line, 'x', sizeof(line));
    memcpy(line, "- op: ", 6);
    for (uint64_t i = 1; i < 1000; i++) {
        assert_int_equal(0,
                         osw_schema_yaml_line(&y, i, line, sizeof(line), &err));
        memcpy(line, "      ", 6);
    }
    assert_true(y.text.used < OSW_SCHEMA_MAX_BYTES + 2 * sizeof(line));
    osw_schema_yaml_free(&y);
    osw_text_free(&out);
}

static void no_memory_is_an_error(void **state)
{
    struct osw_text out = OSW_TEXT_INIT;
    (void)state;
    osw_text_printf(&out, "%1000s", ""); /* its own memory does not fail */
    for (int n = 0, struck = 1; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        osw_text_reset(&out);
        chaos_arm(n);
        rc = read_text("- func: f() ->\n    ()\n- no\n", &out, &err);
        struck = chaos_struck();
        assert_int_equal(struck ? -1 : 0, rc);
        assert_int_equal(struck ? OSW_NO_MEMORY : OSW_OK, err.status);
    }
    osw_text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_are_found_in_every_form),
        cmocka_unit_test(what_is_not_understood_is_named_by_line_and_column),
        cmocka_unit_test(columns_of_a_schema_are_those_of_its_line),
        cmocka_unit_test(a_file_is_yaml_by_its_first_line),
        cmocka_unit_test(a_schema_without_end_takes_no_memory_without_end),
        cmocka_unit_test(no_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

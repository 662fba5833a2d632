/* tests/unit/mpi_runner/test_generate_extract.c - the code in a model's answer
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/generate/ask/extract.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define F         "f_kernel_impl"

/* clang-format off */
static const struct {
    const char *what, *answer;
    enum osw_outcome want;
    const char *code;
} cases[] = {
    {"one block", "Here:\n```c\nint " F "(void);\n```\nDone.",
     OSW_OUTCOME_ANSWERED, "int " F "(void);\n"},
    {"a draft first", "```c\n" F " 1\n```\n```c\n" F " 2\n```\n",
     OSW_OUTCOME_ANSWERED, F " 2\n"},
    {"an example of use last", "```c\n" F " 1\n```\n```sh\nmake\n```\n",
     OSW_OUTCOME_ANSWERED, F " 1\n"},
    {"tildes", "~~~\n" F "\n~~~\n", OSW_OUTCOME_ANSWERED, F "\n"},
    {"longer fences", "````\n```\n" F "\n```\n````\n",
     OSW_OUTCOME_ANSWERED, "```\n" F "\n```\n"},
    {"indented", "  ```\n" F "\n  ```\n", OSW_OUTCOME_ANSWERED, F "\n"},
    {"lines end in CR", "```c\r\n" F "\r\n```\r\n", OSW_OUTCOME_ANSWERED,
     F "\r\n"},
    {"no fence at all", "int " F "(void);", OSW_OUTCOME_ANSWERED,
     "int " F "(void);"},
    {"cut off", "```c\nint " F "(void) {", OSW_OUTCOME_TRUNCATED, NULL},
    {"cut off after a whole one", "```\n" F " 1\n```\n```\n" F " 2",
     OSW_OUTCOME_ANSWERED, F " 1\n"},
    {"another function", "```\nint g(void);\n```", OSW_OUTCOME_WRONG_SYMBOL,
     NULL},
    {"a longer name", "```\nint my_" F "(void);\n```\n",
     OSW_OUTCOME_WRONG_SYMBOL, NULL},
    {"words", "I cannot do that.", OSW_OUTCOME_NO_CODE, NULL},
    {"blanks", " \n\t\r\n", OSW_OUTCOME_EMPTY, NULL},
    {"nothing", "", OSW_OUTCOME_EMPTY, NULL},
    {"code within a line", "use ```" F "``` here", OSW_OUTCOME_ANSWERED,
     "use ```" F "``` here"},
};
/* clang-format on */

static void answers_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        const char *code = NULL;
        size_t n = 0;

        print_message("  case: %s\n", cases[i].what);
        assert_int_equal(
            osw_extract(cases[i].answer, strlen(cases[i].answer), F, &code, &n),
            cases[i].want);
        if (!cases[i].code)
            continue;
        assert_int_equal(n, strlen(cases[i].code));
        assert_memory_equal(code, cases[i].code, n);
    }
}

static void sizes_are_bounded(void **state)
{
    size_t n = OSW_EXTRACT_MAX_ANSWER + 1, size;
    char *answer = malloc(n);
    const char *code;

    (void)state;
    assert_non_null(answer);
    memset(answer, 'x', n);
    assert_int_equal(osw_extract(answer, n, F, &code, &size),
                     OSW_OUTCOME_TOO_LARGE);
    memcpy(answer, "```\n" F "\n", 4 + sizeof(F));
    memcpy(answer + n - 6, "\n```\n", 5);
    assert_int_equal(osw_extract(answer, n - 1, F, &code, &size),
                     OSW_OUTCOME_TOO_LARGE);
    free(answer);
    assert_int_equal(osw_extract("```\n" F "\0\n```\n", 23, F, &code, &size),
                     OSW_OUTCOME_NO_CODE);
}

/* clang-format off */
static const struct {
    const char *what, *a, *b;
    bool python, same;
} pairs[] = {
    {"comments", "int a; /* x */\n// y\nint b;", "int a;\nint b;", false, true},
    {"blanks", "int  a ;\n\n\n  int b;", "int a ;\nint b;", false, true},
    {"a name", "int a;", "int b;", false, false},
    {"a string", "s = \"a  b\";", "s = \"a b\";", false, false},
    {"a comment in a string", "s = \"/* x */\";", "s = \"\";", false, false},
    {"an escaped quote", "s = \"\\\"//\";", "s = \"\\\"\";", false, false},
    {"words do not join", "int/**/a;", "inta;", false, false},
    {"Python's comments", "x = 1  # one\n\ny = 2", "x = 1\ny = 2\n", true, true},
    {"Python's indentation", "if x:\n  y = 1\nz = 2", "if x:\n  y = 1\n  z = 2",
     true, false},
    {"a hash in a string", "x = '#a'", "x = '#b'", true, false},
    {"a text of many lines", "x = '''a\n  b'''", "x = '''a\n b'''", true, false},
};
/* clang-format on */

static void sources_that_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(pairs); i++) {
        struct osw_text a = OSW_TEXT_INIT, b = OSW_TEXT_INIT;
        const char *x, *y;

        print_message("  case: %s\n", pairs[i].what);
        osw_extract_plain(pairs[i].a, strlen(pairs[i].a), pairs[i].python, &a);
        osw_extract_plain(pairs[i].b, strlen(pairs[i].b), pairs[i].python, &b);
        osw_text_add(&a, "\n"); /* whether the last line ends or not */
        osw_text_add(&b,
                     pairs[i].b[strlen(pairs[i].b) - 1] == '\n' ? "" : "\n");
        x = osw_text_str(&a);
        y = osw_text_str(&b);
        assert_int_equal(strcmp(x, y) == 0, pairs[i].same);
        osw_text_free(&a);
        osw_text_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_by_table),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(sources_that_are_the_same),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_extract", tests,
                                       NULL, NULL);
}

/* tests/unit/common/test_cli_man.c - man pages, from the tables of
 * common/cli/command.h
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/cli_complete.h"
#include "common/cli/cli_man.h"

struct opts {
    const char *format;
    bool force;
};

static const char *format_word(size_t i)
{
    static const char *const words[] = {"text", "json"};

    return i < 2 ? words[i] : NULL;
}

static const struct opts defaults = {.format = "text"};

#define AT(field) offsetof(struct opts, field)
/* clang-format off */
static const struct osw_opt table[] = {
    { "format", OSW_OPT_STR, AT(format), ".h5's form: a-b [text]",
      .letter = 'f', .words = format_word, .topic = "output" },
    { "force", OSW_OPT_FLAG, AT(force), "it's 'so' [no]", .alias = "forced",
      .expert = true },
    { 0 },
};
/* clang-format on */
#undef AT

static const struct osw_cmd cmd = {
    .name = "report",
    .topic = "read",
    .operands = "FILE",
    .summary = "print what a file says",
    .details = "One line.\n  verbatim\\n\n.dot first\nExit code: 0.\n",
    .opts = table,
    .defaults = &defaults,
    .opts_size = sizeof(defaults),
};
static const struct osw_cmd *const cmds[] = {&cmd};

static char *text;
static size_t size;

static FILE *begin(void)
{
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    return f;
}

static void has(const char *part)
{
    print_message("  case: %s\n", part);
    if (!strstr(text, part))
        fail_msg("not in:\n%s", text);
}

static void nothing_in_a_page_means_something_to_roff(void **state)
{
    FILE *f = begin();

    (void)state;
    osw_cli_man(f, &cmd);
    fclose(f);
    has(".TH OPSWEEP-REPORT 1 ");
    has("\nopsweep\\-report \\- print what a file says\n");
    has("\nOne line.\n.nf\n  verbatim\\en\n.fi\n\\&.dot first\n.PP\nExit code");
    has(".SS Output\n.TP\n\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fIWORD\\fR\n"
        "\\&.h5\\(aqs form: a\\-b");
    has("\\fB\\-\\-force\\fR\nit\\(aqs \\(aqso\\(aq [no] (also "
        "\\-\\-forced)\n");
    free(text);
}

static void the_main_page_has_all_commands(void **state)
{
    FILE *f = begin();

    (void)state;
    osw_cli_man_commands(f, cmds, 1);
    fclose(f);
    has(".TH OPSWEEP 1 ");
    has(".SS Read\n.TP\n.BR opsweep\\-report (1)\nprint what a file says\n");
    has(".SH EXIT STATUS\n0 ok,");
    free(text);
}

static void shells_get_words_and_all_options(void **state)
{
    const struct osw_cli_shell *bash = osw_cli_complete_shell(0);
    const struct osw_cli_shell *zsh = osw_cli_complete_shell(1);
    FILE *f = begin();

    (void)state;
    bash->write(f, cmds, 1);
    fclose(f);
    has("words='report help --help --version'");
    has("'report --format' | 'report -f') words='text json' ;;");
    has("'report -'*) words='--format --force --forced --help --help-all' ;;");
    free(text);

    f = begin();
    zsh->write(f, cmds, 1);
    fclose(f);
    has("'report:print what a file says'");
    has("'(-f --format)'{-f+,--format=}'[.h5'\\''s form\\: a-b \\[text\\]]");
    has(":WORD:(text json)'");
    has("'--force[");
    has("'--forced[");
    free(text);
    assert_null(osw_cli_complete_shell(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_a_page_means_something_to_roff),
        cmocka_unit_test(the_main_page_has_all_commands),
        cmocka_unit_test(shells_get_words_and_all_options),
    };

    return cmocka_run_group_tests_name("common/cli_man", tests, NULL, NULL);
}

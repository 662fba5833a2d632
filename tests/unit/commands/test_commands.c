/* tests/unit/commands/test_commands.c - a typo in any option of any command */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/cli.h"
#include "common/cli/cli_help.h"
#include "mpi_runner/commands.h"

enum { MAX_WORD = 64 };

/* `opsweep CMD --TYPO` is refused, and names the option. */
static void refuse(const struct osw_cmd *cmd, const char *option,
                   const char *typo)
{
    const char *operands[OSW_CLI_MAX_OPERANDS];
    char word[MAX_WORD + 2], want[4 * MAX_WORD];
    const char *argv[] = {"opsweep", cmd->name, word};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_args args;
    void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);

    assert_non_null(opts);
    if (cmd->opts_size)
        memcpy(opts, cmd->defaults, cmd->opts_size);
    snprintf(word, sizeof(word), "--%s", typo);
    snprintf(want, sizeof(want), "unknown option '--%s' (did you mean '--%s'?)",
             typo, option);
    assert_int_equal(osw_cli_parse(cmd, 3, argv, opts, operands, &args, &err),
                     -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, want);
    free(opts);
}

/* A letter more and a letter less; what is left of two letters is no word. */
static int misspell(const struct osw_cmd *cmd, const char *option)
{
    int n = (int)strlen(option), half = n / 2;
    char more[MAX_WORD], less[MAX_WORD];

    assert_in_range(n, 1, MAX_WORD - 2);
    snprintf(more, sizeof(more), "%cx%s", option[0], option + 1);
    snprintf(less, sizeof(less), "%.*s%s", half, option, option + half + 1);
    if (n + 1 > 2)
        refuse(cmd, option, more);
    if (n - 1 > 2)
        refuse(cmd, option, less);
    return (n + 1 > 2) + (n - 1 > 2);
}

static void a_typo_in_any_option_is_named(void **state)
{
    int n = 0;

    (void)state;
    for (size_t i = 0; i < osw_n_commands; i++) {
        const struct osw_cmd *cmd = osw_commands[i];

        assert_non_null(cmd->opts[0].name);
        for (const struct osw_opt *o = cmd->opts; o->name; o++)
            if (!osw_cmd_refuses(cmd, o))
                n += misspell(cmd, o->name);
        n += misspell(cmd, "help");
        n += misspell(cmd, "help-all");
    }
    assert_in_range(n, 500, 5000); /* it looks at all of them */
}

/* What a message would offer, --help names. */
static void every_word_of_an_option_is_in_its_help(void **state)
{
    int n = 0;

    (void)state;
    for (size_t i = 0; i < osw_n_commands; i++)
        for (const struct osw_opt *o = osw_commands[i]->opts; o->name; o++) {
            struct osw_text t = OSW_TEXT_INIT;
            const char *word;

            osw_cli_help_value(o, &t);
            osw_text_add(&t, " ");
            osw_cli_help_option(osw_commands[i], o, &t);
            for (size_t k = 0; (word = osw_opt_word(o, k)); k++, n++)
                if (!strstr(osw_text_str(&t), word))
                    fail_msg("%s --%s: '%s' is not in its help",
                             osw_commands[i]->name, o->name, word);
            osw_text_free(&t);
        }
    assert_in_range(n, 100, 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_typo_in_any_option_is_named),
        cmocka_unit_test(every_word_of_an_option_is_in_its_help),
    };

    return cmocka_run_group_tests_name("commands/commands", tests, NULL, NULL);
}

/* common/cli/cli_help.h - what --help says, from the tables of
 * common/cli/command.h
 *
 * Downstream: common/cli/cli.c prints it; cli_man.c and cli_complete.c say
 * the same in other forms.
 */
#ifndef OSW_COMMON_CLI_HELP_H
#define OSW_COMMON_CLI_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/cli/command.h"
#include "common/text.h"

/* What `opsweep CMD --help` prints; with `all` what --help-all prints, which
 * has the options for experts, too.
 */
void osw_cli_help(FILE *out, const struct osw_cmd *cmd, bool all);

/* What `opsweep --help` prints: the commands [n], a heading before each topic.
 */
void osw_cli_help_commands(FILE *out, const struct osw_cmd *const *cmds,
                           size_t n);

/* Add the word that stands for the option's value, e.g. "FILE" or "a|b"; ""
 * for a FLAG.
 */
void osw_cli_help_value(const struct osw_opt *opt, struct osw_text *out);

/* Add what the option does, with the default of the command in brackets. */
void osw_cli_help_option(const struct osw_cmd *cmd, const struct osw_opt *opt,
                         struct osw_text *out);

/* The exit codes that all commands share: lines, the last without newline. */
extern const char osw_cli_help_exit_codes[];

#endif /* OSW_COMMON_CLI_HELP_H */

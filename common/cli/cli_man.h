/* common/cli/cli_man.h - man pages, from the tables of common/cli/command.h
 *
 * In roff with the macros of man(7).  The build prints them with
 * `opsweep --man [COMMAND]`.
 */
#ifndef OSW_COMMON_CLI_MAN_H
#define OSW_COMMON_CLI_MAN_H

#include <stddef.h>
#include <stdio.h>

#include "common/cli/command.h"

/* opsweep-COMMAND(1), with the options for experts. */
void osw_cli_man(FILE *out, const struct osw_cmd *cmd);

/* opsweep(1), with all commands [n]. */
void osw_cli_man_commands(FILE *out, const struct osw_cmd *const *cmds,
                          size_t n);

#endif /* OSW_COMMON_CLI_MAN_H */

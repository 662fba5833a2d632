/* common/cli/cli.h - commands and their options as tables
 *
 * A command is one `const struct osw_cmd` in a file of its own, listed in
 * mpi_runner/commands.c.  Its options are rows; parsing, --help, man
 * pages, the completion of shells and suggestions for typos come from the rows.
 *
 *     struct plan_opts { const char *only; uint64_t limit; bool ids; };
 *     static const struct plan_opts plan_defaults = { .limit = 100 };
 *     #define AT(field) offsetof(struct plan_opts, field)
 *     static const struct osw_opt plan_optv[] = {
 *         { "only",  OSW_OPT_STR,  AT(only),  "show this op alone [all]",
 *           .value = "OP" },
 *         { "limit", OSW_OPT_U64,  AT(limit), "stop after so many cells",
 *           .letter = 'l' },
 *         { "ids",   OSW_OPT_FLAG, AT(ids),   "print cell ids only" },
 *         { 0 },
 *     };
 */
#ifndef OSW_COMMON_CLI_H
#define OSW_COMMON_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cli/command.h"
#include "common/error.h"

enum { OSW_CLI_MAX_OPERANDS = 256 };

/* What osw_cli_parse() returns besides 0 and -1. */
enum { OSW_CLI_HELP = 1, OSW_CLI_HELP_ALL = 2 };

/* Was the option of that (long) name on the command line? */
bool osw_args_given(const struct osw_args *args, const char *name);

/* Parse a whole line, "opsweep CMD ...", into opts, which holds the defaults,
 * and *args; `operands` is the caller's memory for OSW_CLI_MAX_OPERANDS words.
 * Options and operands may be mixed; "--" ends the options.  0;
 * OSW_CLI_HELP or OSW_CLI_HELP_ALL when that was asked for; or -1 with err set
 * (OSW_BAD_INPUT).
 */
int osw_cli_parse(const struct osw_cmd *cmd, int argc, const char *const *argv,
                  void *opts, const char **operands, struct osw_args *args,
                  struct osw_error *err) OSW_MUST_CHECK;

/* The whole of main(): find the command, parse, run, say what failed on
 * standard error.  Returns the exit code.
 */
int osw_cli_main(const struct osw_cmd *const *cmds, size_t n_cmds, int argc,
                 char **argv);

#endif /* OSW_COMMON_CLI_H */

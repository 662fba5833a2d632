/* common/cli/cli_complete.h - completion for shells, from the tables of
 * common/cli/command.h
 *
 * The build prints it with `opsweep --completion bash` and `zsh`.
 */
#ifndef OSW_COMMON_CLI_COMPLETE_H
#define OSW_COMMON_CLI_COMPLETE_H

#include <stddef.h>
#include <stdio.h>

#include "common/cli/command.h"

/* The script for a shell: commands [n], their verbs and options, and the words
 * that options may be.  Options for experts are left out.
 */
struct osw_cli_shell {
    const char *name;
    void (*write)(FILE *out, const struct osw_cmd *const *cmds, size_t n);
};

/* NULL after the last. */
const struct osw_cli_shell *osw_cli_complete_shell(size_t i);

#endif /* OSW_COMMON_CLI_COMPLETE_H */

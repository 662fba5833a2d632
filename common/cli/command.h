/* common/cli/command.h - what a command is
 *
 * Downstream: cli.h, which runs it; help, man pages and completion, which are
 * made of it.
 */
#ifndef OSW_COMMON_COMMAND_H
#define OSW_COMMON_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/opt.h"
#include "common/error.h"

/* What stood on the command line besides option values. */
struct osw_args {
    size_t n_operands;
    const char *const *operands; /* [n_operands], borrowed from argv */
    const char *const *argv;     /* the whole line, for provenance */
    int argc;
    const struct osw_opt *opts; /* the command's table */
    uint64_t given;             /* bit i: row i was given */
};

/* What a command does that its first operand names. */
struct osw_verb {
    const char *name;
    const char *summary; /* one line, lower case */
    /* As that of a command; the verb is args->operands[0]. */
    int (*run)(void *opts, const struct osw_args *args, struct osw_error *err);
};

/* An option of a table that commands share, which one of them does not take. */
struct osw_refusal {
    const char *option, *why;
};

struct osw_cmd {
    const char *name;
    const char *topic; /* heading in --help; commands of one stand together */
    const char *operands; /* as in the usage line, e.g. "[CAMPAIGN.json]" */
    const char *summary;  /* one line, lower case */
    const char *details;  /* (optional) more of --help; lines end in \n */
    size_t min_operands, max_operands;
    const struct osw_verb *verbs; /* ends in { 0 }; NULL: `run` is called */
    const struct osw_opt *opts;   /* ends in { 0 } */
    const struct osw_refusal *refused; /* ends in { 0 }; or NULL */
    const void *defaults;              /* [opts_size] */
    size_t opts_size;
    bool guarded; /* opens untrusted files: common/guard.h */
    /* (optional) The command that takes this line instead, with a table of its
     * own; NULL: this one.
     */
    const struct osw_cmd *(*form)(int argc, const char *const *argv);
    /* Returns the exit code (0..5), or -1 with err set: main prints it and
     * exits by osw_status_exit_code().  `opts` may be changed: it is a copy.
     */
    int (*run)(void *opts, const struct osw_args *args, struct osw_error *err);
};

/* Why the command does not take an option of its table; NULL: it does. */
const char *osw_cmd_refuses(const struct osw_cmd *cmd,
                            const struct osw_opt *opt);

#endif /* OSW_COMMON_COMMAND_H */

/* mpi_runner/main.c - opsweep: one line per command */
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/cli.h"
#include "worker/judge/eval/checks.h"

extern const struct osw_cmd osw_cmd_list;
extern const struct osw_cmd osw_cmd_plan;
extern const struct osw_cmd osw_cmd_run;
extern const struct osw_cmd osw_cmd_submit;
extern const struct osw_cmd osw_cmd_cancel;
extern const struct osw_cmd osw_cmd_status;
extern const struct osw_cmd osw_cmd_report;
extern const struct osw_cmd osw_cmd_compare;
extern const struct osw_cmd osw_cmd_history;
extern const struct osw_cmd osw_cmd_repeat;
extern const struct osw_cmd osw_cmd_show;
extern const struct osw_cmd osw_cmd_check;
extern const struct osw_cmd osw_cmd_build;
extern const struct osw_cmd osw_cmd_new;
extern const struct osw_cmd osw_cmd_parse;
extern const struct osw_cmd osw_cmd_doctor;
extern const struct osw_cmd osw_cmd_journal;
extern const struct osw_cmd osw_cmd_merge;
extern const struct osw_cmd osw_cmd_export;
extern const struct osw_cmd osw_cmd_export_ops;
extern const struct osw_cmd osw_cmd_generate;
extern const struct osw_cmd osw_cmd_package;

#ifdef OSW_DISABLE_CHECKS
/* Of the tests' own build: leave out a check, and say so. */
static int leave_out(void)
{
    const char *name = getenv("OPSWEEP_DISABLE_CHECK");
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_checks_leave_out(name, &err) < 0) {
        fprintf(stderr, "opsweep: %s\n", err.text);
        return osw_status_exit_code(err.status);
    }
    if (name && *name)
        fprintf(stderr, "opsweep: left out: the check '%s'\n", name);
    return 0;
}
#else
static int leave_out(void)
{
    return 0;
}
#endif

int main(int argc, char **argv)
{
    static const struct osw_cmd *const commands[] = {
        &osw_cmd_run,     &osw_cmd_submit,   &osw_cmd_cancel,
        &osw_cmd_plan,    &osw_cmd_list,     &osw_cmd_status,
        &osw_cmd_report,  &osw_cmd_show,     &osw_cmd_export,
        &osw_cmd_merge,   &osw_cmd_compare,  &osw_cmd_history,
        &osw_cmd_repeat,  &osw_cmd_new,      &osw_cmd_check,
        &osw_cmd_build,   &osw_cmd_generate, &osw_cmd_export_ops,
        &osw_cmd_package, &osw_cmd_parse,    &osw_cmd_doctor,
        &osw_cmd_journal,
    };
    int rc = leave_out();

    if (rc)
        return rc;
    return osw_cli_main(commands, sizeof(commands) / sizeof(commands[0]), argc,
                        argv);
}

/* mpi_runner/commands.c - all commands: two lines for each
 *
 * In the order of --help: those of one topic stand together.
 */
#include "mpi_runner/commands.h"

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

const struct osw_cmd *const osw_commands[] = {
    &osw_cmd_run,      &osw_cmd_submit,     &osw_cmd_cancel,  &osw_cmd_plan,
    &osw_cmd_list,     &osw_cmd_status,     &osw_cmd_report,  &osw_cmd_show,
    &osw_cmd_export,   &osw_cmd_merge,      &osw_cmd_compare, &osw_cmd_history,
    &osw_cmd_repeat,   &osw_cmd_new,        &osw_cmd_check,   &osw_cmd_build,
    &osw_cmd_generate, &osw_cmd_export_ops, &osw_cmd_package, &osw_cmd_parse,
    &osw_cmd_doctor,   &osw_cmd_journal,
};
const size_t osw_n_commands = sizeof(osw_commands) / sizeof(osw_commands[0]);

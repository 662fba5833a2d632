/* mpi_runner/main.c - opsweep: one line per command */
#include "common/cli.h"

extern const struct osw_cmd osw_cmd_list;
extern const struct osw_cmd osw_cmd_plan;
extern const struct osw_cmd osw_cmd_run;
extern const struct osw_cmd osw_cmd_report;
extern const struct osw_cmd osw_cmd_show;
extern const struct osw_cmd osw_cmd_check;
extern const struct osw_cmd osw_cmd_parse;
extern const struct osw_cmd osw_cmd_doctor;

int main(int argc, char **argv)
{
    static const struct osw_cmd *const commands[] = {
        &osw_cmd_list, &osw_cmd_plan,  &osw_cmd_run,   &osw_cmd_report,
        &osw_cmd_show, &osw_cmd_check, &osw_cmd_parse, &osw_cmd_doctor,
    };

    return osw_cli_main(commands, sizeof(commands) / sizeof(commands[0]), argc,
                        argv);
}

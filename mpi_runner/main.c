/* mpi_runner/main.c - opsweep: one line per command */
#include "common/cli.h"

/* A command that is not linked in is passed over. */
#define COMMANDS(X) X(list) X(plan) X(run) X(report) X(show) X(check) X(parse)

#define X(name)                                                                \
    extern const struct osw_cmd osw_cmd_##name __attribute__((weak));
COMMANDS(X)
#undef X

int main(int argc, char **argv)
{
    static const struct osw_cmd *const all[] = {
#define X(name) &osw_cmd_##name,
        COMMANDS(X)
#undef X
    };
    const struct osw_cmd *cmds[sizeof(all) / sizeof(all[0])];
    size_t n = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i])
            cmds[n++] = all[i];
    return osw_cli_main(cmds, n, argc, argv);
}

/* mpi_runner/main.c - opsweep */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/crash.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/commands.h"
#include "worker/judge/eval/checks.h"

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

/* A stream that was closed stays one: no file that is opened takes its place,
 * and what is written to it fails.
 */
static void keep_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    int rc = leave_out();

    if (rc)
        return rc;
    keep_streams();
    (void)signal(SIGXFSZ, SIG_IGN); /* the write fails, and names its file */
    osw_crash_tell();
    rc = osw_cli_main(osw_commands, osw_n_commands, argc, argv);
    osw_expand_forget();
    return rc;
}

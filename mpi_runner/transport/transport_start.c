/* mpi_runner/transport/transport_start.c - a transport, opened within a time */
#include "mpi_runner/transport/transport_start.h"

#include <signal.h>
#include <unistd.h>

enum { STARTS_IN_SILENCES = 10 }; /* MPI's start, in times --silence */

static volatile sig_atomic_t start_s; /* left for MPI to come up */

/* Every second that this process runs: others are none of MPI's. */
static void on_start_second(int sig)
{
    static const char text[] =
        "opsweep: MPI does not come up: a rank or a node "
        "was lost while it started\n";

    (void)sig;
    if (--start_s > 0) {
        (void)alarm(1);
        return;
    }
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(osw_status_exit_code(OSW_INCOMPLETE));
}

int osw_transport_start(const char *name, double silence_s,
                        struct osw_transport **out,
                        struct osw_transport **other, struct osw_error *err)
{
    struct sigaction second = {.sa_handler = on_start_second,
                               .sa_flags = SA_RESTART},
                     before;
    int rc;

    start_s = (sig_atomic_t)(STARTS_IN_SILENCES * silence_s) + 1;
    sigaction(SIGALRM, &second, &before);
    alarm(1);
    rc = osw_transport_find(name)->open(out, other, err);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return rc;
}

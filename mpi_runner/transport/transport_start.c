/* mpi_runner/transport/transport_start.c - a transport, opened within a time */
#include "mpi_runner/transport/transport_start.h"

#include <signal.h>
#include <unistd.h>

/* What MPI's start may take: of a large job longer, but not for ever. */
enum { START_S = 60, RANK_S = 1, MOST_SILENCES = 10 };

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

int osw_transport_start(int n_ranks, double silence_s,
                        struct osw_transport **out,
                        struct osw_transport **other, struct osw_error *err)
{
    struct sigaction second = {.sa_handler = on_start_second,
                               .sa_flags = SA_RESTART},
                     before;
    double least_s = START_S + RANK_S * n_ranks;
    double most_s = MOST_SILENCES * silence_s;
    int rc;

    start_s = (sig_atomic_t)(least_s < most_s ? least_s : most_s) + 1;
    sigaction(SIGALRM, &second, &before);
    alarm(1);
    rc =
        osw_transport_find(n_ranks > 1 ? "mpi" : "loop")->open(out, other, err);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return rc;
}

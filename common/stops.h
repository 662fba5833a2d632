/* common/stops.h - signals that ask a campaign to stop
 *
 * Launchers send them to every process of a job.  They are meant for ranks;
 * children that a rank starts are spawned with them blocked, so that a
 * warning before the time limit never looks like an op that crashed.
 */
#ifndef OSW_COMMON_STOPS_H
#define OSW_COMMON_STOPS_H

#include <signal.h>

static inline void osw_stops(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGUSR1);
    sigaddset(set, SIGHUP);
}

#endif /* OSW_COMMON_STOPS_H */

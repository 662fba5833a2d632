/* mpi_runner/generate/ask/asker.h - the process that asks models
 *
 * A child of the driver, forked before anything is judged.  It alone has the
 * key, runs no op code, and ends with the driver.  Requests and replies are
 * packets of a socket; prompts and answers are files.
 *
 * Upstream: drive.h.  Downstream: api.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_ASKER_H
#define OSW_MPI_RUNNER_GENERATE_ASKER_H

#include <sys/types.h>

#include "mpi_runner/generate/ask/api.h"

struct osw_asker {
    pid_t pid;
    int fd;        /* can be read when there is a reply */
    size_t n_busy; /* requests under way */
};

/* Start it.  Afterwards this process has the variable with the key no more;
 * *config must live as long.  Returns 0, or -1 with err set.
 */
int osw_asker_start(struct osw_asker *asker, const struct osw_api *api,
                    const struct osw_api_config *config,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Hand over a request.  Precondition: n_busy < OSW_API_MAX_BUSY. */
int osw_asker_submit(struct osw_asker *asker,
                     const struct osw_api_request *request,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Wait at most so long for a reply.  1: *reply is one; 0: none; -1 with err set
 * (OSW_CHILD): it is gone.
 */
int osw_asker_poll(struct osw_asker *asker, int wait_ms,
                   struct osw_api_reply *reply,
                   struct osw_error *err) OSW_MUST_CHECK;

/* End it, and what it began. */
void osw_asker_stop(struct osw_asker *asker);

#endif /* OSW_MPI_RUNNER_GENERATE_ASKER_H */

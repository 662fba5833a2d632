/* mpi_runner/generate/ask/retry.h - what follows a response of an endpoint
 *
 * A request is sent again only where it is certain that nothing was made for
 * it, so that nothing is paid for twice.  Pure: time is an argument.
 *
 * Upstream: api_http_curl.c.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_RETRY_H
#define OSW_MPI_RUNNER_GENERATE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

enum { OSW_RETRY_MAX_TRIES = 8 };

enum osw_retry_what {
    OSW_RETRY_TAKE,  /* it is an answer, or a failure of this request */
    OSW_RETRY_AGAIN, /* after delay_ms */
    OSW_RETRY_FATAL, /* every request would fail so: a key, money, a name */
};

struct osw_retry {
    enum osw_retry_what what;
    int64_t delay_ms;
    bool pause; /* all requests wait so long: the endpoint is busy */
};

/* By the HTTP status (0: no connection was made), type of the error in its body
 * (""), header retry-after (NULL: none), and how often it was sent.
 */
struct osw_retry osw_retry_decide(long status, const char *error_type,
                                  const char *retry_after, uint32_t n_tries);

/* Where requests may go: https, or http to this machine; no user name in it.
 * Returns what is wrong, or NULL.  *local: it is this machine.
 */
const char *osw_retry_check_url(const char *url, bool *local);

#endif /* OSW_MPI_RUNNER_GENERATE_RETRY_H */

/* mpi_runner/ranks/metrics.h - how far a campaign is, for Prometheus
 *
 * A file in Prometheus' text format, for the textfile collector of its node
 * exporter.  It is replaced as a whole every few seconds, so a reader never
 * sees half of one.
 *
 * Upstream: coordinator.c.
 */
#ifndef OSW_MPI_RUNNER_METRICS_H
#define OSW_MPI_RUNNER_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "mpi_runner/ranks/ledger.h"

struct osw_metrics_state {
    const char *file; /* the result file: a label of every sample */
    const struct osw_totals *totals;
    bool running;           /* false: the last time */
    uint32_t n_workers;     /* alive */
    uint32_t n_lost;        /* so far */
    uint32_t n_left_out;    /* whose device cannot be used */
    uint64_t n_judged;      /* results in this session */
    double fraction;        /* of the predicted cost, 0 to 1 */
    double fraction_before; /* when the session began */
    int64_t elapsed_ns;     /* of this session */
    int64_t now_unix_ns;
};

/* Append the text of the file.  Pure; without memory `out` fails. */
void osw_metrics_text(const struct osw_metrics_state *s, struct osw_text *out);

typedef struct osw_metrics osw_metrics_t;

/* Write to `path` and label by the result file `file`, both borrowed.  NULL
 * without memory.
 */
osw_metrics_t *osw_metrics_create(const char *path,
                                  const char *file) OSW_MUST_CHECK;
void osw_metrics_destroy(osw_metrics_t *metrics); /* NULL is ignored */

/* Is the file due at now_ns (osw_clock_ns)?  Cheap. */
bool osw_metrics_due(const osw_metrics_t *metrics, int64_t now_ns);

/* Replace the file; state->file is set here.  What fails is logged once, and
 * tried again next time.
 */
void osw_metrics_write(osw_metrics_t *metrics, struct osw_metrics_state *state,
                       int64_t now_ns);

#endif /* OSW_MPI_RUNNER_METRICS_H */

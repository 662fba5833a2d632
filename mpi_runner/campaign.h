/* mpi_runner/campaign.h - what one run is asked to do
 *
 * A campaign is a table of fields: each is a key of the campaign JSON and a
 * flag of list, plan and run at once.  Flags override the JSON, the JSON the
 * defaults.  To add a field, write one row in campaign.c.
 *
 * Upstream: command line, campaign JSON.  Downstream: plan, coordinator; its
 * canonical JSON goes to the result file and to the workers.
 */
#ifndef OSW_MPI_RUNNER_CAMPAIGN_H
#define OSW_MPI_RUNNER_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "worker/worker.h"

/* After osw_campaign_resolve() every text is set ("" where there is nothing
 * to say) and every number is the one used.
 */
struct osw_campaign {
    const char *suite;   /* row of ops/suite.h */
    const char *backend; /* row of ops/backend.h */
    const char *library; /* root of the shipped ops */
    const char *custom_ops_root;
    const char *const *ops; /* [n_ops] filter: see ops/select.h */
    size_t n_ops;
    const char *const *impls; /* [n_impls] filter, likewise */
    size_t n_impls;
    const char *baseline;      /* "": each op's own */
    const char *const *traces; /* [n_traces] files or folders */
    size_t n_traces;
    uint32_t top;          /* cases per op of traces; 0: all */
    const char *top_by;    /* "size" or "calls" */
    const char *case_text; /* a single case for --ops; "": none */
    const char *fill;      /* its fills; "": the op's */
    const char *device;    /* "cpu" */
    const char *profile;   /* row of worker/worker.h */
    uint64_t seed;         /* of the fills */
    uint64_t max_bytes;    /* memory of one bundle */
    double max_work_s;     /* predicted seconds of one bundle */
    uint32_t ranks;        /* 0: as many as the launcher gives */
    uint32_t threads;      /* host threads an op may use; 0: cores / workers */
    double timeout_s;      /* floor of a call's deadline; 0: the default */
    bool keep_going;       /* go on with a broken implementation */
    const char *output;    /* result file; "": a name from suite and date */
};

/* Read a campaign JSON over *c (keys that it does not name are kept).
 * Returns 0, or -1 with err set and *c untouched:
 *   OSW_BAD_INPUT  names file and key, and the nearest key that exists
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_campaign_load(osw_arena_t *arena, const char *path,
                      struct osw_campaign *c,
                      struct osw_error *err) OSW_MUST_CHECK;

/* The same from text, for tests and workers; `name` stands for the file. */
int osw_campaign_parse(osw_arena_t *arena, const char *name, const char *text,
                       size_t n, struct osw_campaign *c,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Fill in defaults and check each value against its table.  n_local: workers
 * on this node, which share its free memory (>= 1).  Reads /proc/meminfo.
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  names the field, what was found and what is possible
 */
int osw_campaign_resolve(osw_arena_t *arena, struct osw_campaign *c,
                         uint32_t n_local,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Append the canonical JSON: every field, sorted, one line. */
void osw_campaign_dump(const struct osw_campaign *c, struct osw_text *out);

#endif /* OSW_MPI_RUNNER_CAMPAIGN_H */

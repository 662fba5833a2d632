/* results/report/run_status.h - how far a run is, and what went wrong so far
 *
 * While a run goes on, or after it was cut off, this is read from its journal:
 * without its lock, in one pass, writing nothing.  After the run it is read
 * from the result file.
 *
 * Upstream: `opsweep status`.  Downstream: journal.h, file.h.
 */
#ifndef OSW_RESULTS_REPORT_RUN_STATUS_H
#define OSW_RESULTS_REPORT_RUN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/json_out.h"
#include "common/text.h"
#include "ops/record/state.h"

enum osw_run_phase {
    OSW_RUN_GOING,   /* a process holds the journal */
    OSW_RUN_CUT_OFF, /* no process does, and the run did not end by itself */
    /* It ended; cells are missing or in group infra, or there is no file. */
    OSW_RUN_INCOMPLETE,
    OSW_RUN_COMPLETE,
};

enum { OSW_RUN_STATUS_FAILURES = 5 };

/* Cells of one implementation that ended in one state. */
struct osw_run_failure {
    const char *op, *impl;
    const char *reason; /* of the first of them */
    enum osw_state state;
    uint64_t n;
};

/* Texts are owned by the arena. */
struct osw_run_status {
    osw_arena_t *arena;
    const char *path; /* of the result file */
    enum osw_run_phase phase;
    bool no_journal;       /* of INCOMPLETE: --resume cannot go on */
    const char *journal;   /* its folder, where that was read; NULL: the file */
    const char *damage;    /* of the journal, and where; NULL: none */
    bool beside;           /* the journal was read, and the file is there: */
    bool other_run;        /* of another run */
    uint64_t n_in_file;    /* its cells */
    bool no_file;          /* of INCOMPLETE: it was not written */
    uint64_t n_lost_cells; /* of group infra */
    const char *who;       /* of GOING: "process 12 on host n1" */
    int64_t silent_ns;     /* since that process showed that it is alive */
    uint32_t shard, n_shards; /* n_shards 0: a whole campaign */
    uint32_t
        n_sessions; /* 1: it was never resumed; the rest is the last one's */
    uint64_t n_planned, n_done;
    uint64_t n_group[OSW_GROUP_COUNT]; /* add up to n_done */
    uint64_t n_again;     /* besides: of group infra, being judged again */
    int64_t elapsed_ns;   /* of the session */
    int64_t predicted_ns; /* of the session, when it began; 0: by no history */
    uint64_t n_judged;    /* by workers in the session; of a file: in all */
    double rate, recent_rate; /* of those, per second; NaN: unknown */
    double left_s;            /* NaN: unknown */
    uint32_t n_workers;       /* that judge, or did until the end */
    uint32_t n_lost;          /* ranks */
    uint32_t n_left_out;      /* whose device cannot be used */
    const char *lost;         /* the last lost rank, and why; "" */
    struct osw_run_failure failures[OSW_RUN_STATUS_FAILURES]; /* most first */
    size_t n_failures;                                        /* of those */
    size_t n_failure_kinds;                                   /* in all */
};

/* Read how far the run of the result file `path` is at now_ns (unix time).
 * Blocks for file I/O.  Returns 0 and *out, which the caller frees, or -1 with
 * err set: OSW_BAD_INPUT (neither file nor journal, or damaged), OSW_SYSTEM,
 * OSW_NO_MEMORY.
 */
int osw_run_status_load(const char *path, int64_t now_ns,
                        struct osw_run_status *out,
                        struct osw_error *err) OSW_MUST_CHECK;
void osw_run_status_free(struct osw_run_status *status);

/* Cells per second in the last fifth of a session of elapsed_ns, and in its
 * last 30 s at least: ends_ns[n] since its begin, in any order.  NaN when it is
 * not known.  Pure.
 */
double osw_run_status_recent(const int64_t *ends_ns, size_t n,
                             int64_t elapsed_ns);

/* A few lines for people; one object of JSON ("opsweep.status", version 1), of
 * name `key` or NULL.  Without memory the text fails.  Pure.
 */
void osw_run_status_text(const struct osw_run_status *s, struct osw_text *out);
void osw_run_status_json(const struct osw_run_status *s, const char *key,
                         struct osw_json_out *out);

/* "running", "cut off", "incomplete", "complete" */
const char *osw_run_phase_name(enum osw_run_phase phase);

#endif /* OSW_RESULTS_REPORT_RUN_STATUS_H */

/* tests/simulate/sim.h - a cluster that is not there: what all parts share
 *
 * The coordinator is the real one.  ranks.c are its workers, network.c carries
 * their messages, work.c is what they judge, checks.c watches that nothing is
 * lost.
 */
#ifndef OSW_TESTS_SIMULATE_SIM_H
#define OSW_TESTS_SIMULATE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/ranks/ledger.h"
#include "mpi_runner/transport/link.h"
#include "tests/simulate/events.h"

enum { SIM_ON_NODE = 8 }; /* workers of a node */

/* Mistakes that the checks must notice. */
enum sim_fault {
    SIM_FAULT_NONE,
    SIM_FAULT_LOSE_RESULT,  /* a result never arrives */
    SIM_FAULT_TWICE_RESULT, /* a result arrives twice */
    SIM_FAULT_LOSE_ACK,     /* a rank is never told what is on disk */
    SIM_FAULT_TWICE_BUNDLE, /* two ranks get the same bundle */
    SIM_FAULT_FORGET_CELL,  /* a result is not recorded */
    SIM_FAULT_TWICE_TWIN,   /* a second copy of a bundle goes to two ranks */
    SIM_FAULT_WRONG_PART,   /* a rank is at another cell than its gang */
};

struct sim_options {
    uint64_t ranks, cells, seed;
    double lost, lost_nodes, paused; /* percent an hour */
    double pause_s;
    double slow, slow_times; /* percent of ranks, and how much slower */
    bool no_twins;           /* of what slow ranks take long for */
    double gangs;     /* percent of ops whose cells need 2, 4 or 8 ranks */
    const char *from; /* a result file; NULL: made-up durations */
    double cell_ms;   /* mean, of made-up durations */
    uint64_t impls;   /* cells of a made-up bundle */
    double error;     /* deviation of log(predicted / real) */
    double latency_us, jitter_us;
    double frame_us; /* that a frame costs the coordinator */
    double silence_s;
    int fault; /* enum sim_fault */
};

/* --- what is judged --- */

struct sim_work {
    struct osw_plan plan; /* owned */
    struct osw_op *ops;   /* owned */
    float *ms;            /* owned; [plan.n_cells] that a cell takes */
    double sum_ms;        /* of all cells */
    double rank_ms;       /* likewise, on each of the ranks that judge it */
    double longest_bundle_ms;
};

/* Cells of made-up or recorded durations.  0, or -1 with err set. */
int sim_work_make(struct sim_work *w, const struct sim_options *o,
                  struct osw_error *err);
void sim_work_free(struct sim_work *w);

/* --- what the checks know --- */

struct sim_checks {
    const struct osw_plan *plan;
    uint32_t *begun_by; /* owned; [n_cells] the rank that judges it; 0: none */
    uint8_t *recorded;  /* owned; [n_cells] times */
    uint8_t *twinned;   /* owned; [n_cells] second copies that were not begun */
    bool *retried;      /* owned; [n_cells] its gang broke */
    uint64_t *of_rank;  /* owned; [size] results that were recorded of it */
    bool *was_lost;     /* owned; [size] the coordinator gave it up once */
    uint64_t n_recorded, n_begun, n_sent;
    uint64_t n_again; /* cells that were begun once more, after a loss */
    uint64_t n_broken_gangs;
    uint64_t n_copied; /* likewise, as a second copy */
    uint64_t n_broken; /* rules, most of all "once" */
    uint64_t n_events[OSW_EVENT_COUNT];
    int64_t last_ns; /* of the last result */
    bool forget;     /* SIM_FAULT_FORGET_CELL */
    int twin_rank;   /* the first that gets a second copy; 0: none yet */
    int64_t commit_ns;
};

extern const struct osw_sink_ops sim_checks_sink;

int sim_checks_set_up(struct sim_checks *k, const struct osw_plan *plan,
                      int size, struct osw_error *err);
void sim_checks_free(struct sim_checks *k);

/* A rank begins to judge a cell. */
void sim_checks_begin(struct sim_checks *k, uint64_t cell, int rank);

/* The members of a gang, by what they said. */
struct sim_part {
    uint32_t rank, cell;
};
void sim_checks_gang(struct sim_checks *k, const struct sim_part *parts,
                     uint32_t n, bool one_node);

/* Something is wrong: say so, the first few times. */
void sim_checks_broken(struct sim_checks *k, const char *fmt, ...)
    OSW_PRINTF(2, 3);

/* --- the cluster --- */

struct sim_task; /* a bundle at a rank */

struct sim_rank {
    struct osw_outbox out;
    struct osw_inbox in;
    struct sim_task *head, **tail; /* bundles that wait */
    struct sim_task *now;          /* the one in work; or NULL */
    uint32_t n_waiting;
    int n_flying;                /* frames on their way to it */
    int64_t in_ns, out_ns;       /* when the last frame arrives, each way */
    int64_t sent_ns, flushed_ns; /* as of the real worker */
    int64_t heard_ns, proved_ns;
    int64_t paused_until_ns;
    uint64_t n_acked;
    double times; /* a cell takes so many times its time */
    bool dead, forgotten, ready, stopping, summed, ended;
};

struct sim {
    struct osw_transport base;
    const struct sim_options *o;
    const struct sim_work *work;
    struct sim_checks *checks;
    struct sim_rank *ranks; /* owned; [base.size] by rank */
    struct sim_events events;
    struct sim_frame *came, **came_tail; /* frames at the coordinator */
    uint64_t n_frames_in, n_frames_out, n_jitter;
    int64_t start_ns;
    uint64_t digest;    /* of all events, in order */
    int64_t silence_ns; /* the longest of the coordinator */
    int64_t judging_ns; /* of all ranks */
    uint64_t n_dead, n_paused, n_slow;
    uint64_t n_parts; /* of exchanges */
    int n_empty;      /* polls in a row */
    int n_faulty;     /* chances of a planted fault so far */
    struct osw_msg_space space;
};

/* A transport whose other ranks are ranks.c.  Never NULL: the program ends
 * without memory.
 */
struct sim *sim_create(const struct sim_options *o, const struct sim_work *work,
                       struct sim_checks *checks);
void sim_destroy(struct sim *s);

/* Everything that happens up to that time. */
void sim_advance(struct sim *s, int64_t to_ns);

/* --- ranks.c --- */

/* All ranks say hello; deaths and pauses are set. */
void sim_ranks_start(struct sim *s);
void sim_ranks_event(struct sim *s, const struct sim_event *e);
void sim_ranks_free(struct sim *s);

/* --- network.c --- */

/* Put a rank's frames on their way. */
void sim_network_flush(struct sim *s, int rank, bool all);

/* --- memory: the program ends without --- */

void *sim_resize(void *p, size_t n);
void *sim_zeros(size_t n, size_t size);

#endif /* OSW_TESTS_SIMULATE_SIM_H */

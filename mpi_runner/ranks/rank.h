/* mpi_runner/ranks/rank.h - a worker rank: what it has and what it was told
 *
 * Private to worker_loop.c and the files rank_*.c.
 */
#ifndef OSW_MPI_RUNNER_RANK_H
#define OSW_MPI_RUNNER_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_runner/ranks/worker_ops.h"
#include "mpi_runner/transport/link.h"
#include "mpi_runner/transport/msg.h"

struct osw_rank_objects;
struct osw_rank_relay;

/* A message kept until its turn: its texts stay where they are. */
struct osw_rank_kept {
    struct osw_rank_kept *next;
    uint8_t type;
    uint32_t bundle, attempt; /* of a bundle */
    size_t n;
    unsigned char data[];
};

/* The gang of the bundle in work. */
struct osw_rank_gang {
    struct osw_gang as;      /* the judge sees; size 0: there is none */
    void (*tick)(void *arg); /* takes messages, while the judge waits */
    int *segment_fds;        /* owned; [n_segments] one of each cell so far */
    size_t n_segments, size_segments;
    struct osw_rank_relay *relay; /* NULL: all members are on this node */
    uint64_t n_carried;           /* messages of op code between nodes */
    uint32_t exchange;            /* the last one that was begun */
    bool came;                    /* ... and all parts have come */
    uint32_t n_parts;             /* bytes of them */
    unsigned char parts[OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE];
    struct osw_error broken; /* why no exchange can succeed any more */
    bool refused;            /* a gang's bundle was not begun, */
    uint64_t refused_id;     /* of that gang */
};

/* What the kernel says of this thread. */
struct osw_rank_account {
    int64_t at_ns;             /* 0: nothing yet */
    long long ran_ns, wait_ns; /* on a core, for one */
};

struct osw_rank {
    const struct osw_worker_ops *ops;
    const struct osw_worker_life *life;
    struct osw_link link;
    struct osw_msg_space space;
    struct osw_rank_objects *objects; /* NULL: every process for itself */
    struct osw_rank_kept *campaign;   /* lives as long as the judge */
    char *journal;                    /* owned; NULL: not known */
    uint32_t session;                 /* of it */
    int at_work_fd; /* where it says which cells it is at; -1: nowhere */
    bool opened;    /* the judge, or it was tried */
    struct osw_rank_kept *head, **tail; /* bundles to judge */
    uint32_t n_waiting;
    void *judge;                  /* NULL: not yet, or no more */
    struct osw_device_info info;  /* of the judge's device */
    bool series;                  /* another campaign may follow */
    uint32_t n_campaigns;         /* that came before this one */
    int64_t since_unix_ns;        /* when the last of them ended; 0: none */
    struct osw_msg *now;          /* [n_now] bundles being judged */
    struct osw_msg_space *spaces; /* of each; [most] as now */
    struct osw_bundle *bundles;   /* likewise, as the judge sees them */
    uint32_t *n_emitted;          /* likewise, cells of it that have a record */
    uint32_t n_now;
    uint32_t most;               /* bundles that the judge takes at a time */
    uint32_t n_together;         /* of these, that take about together_ns */
    struct osw_rank_kept *taken; /* whose texts they borrow */
    struct osw_rank_gang gang;
    int64_t heartbeat_ns, silence_ns, prove_ns;
    int64_t judged_ns; /* when the last bundle ended */
    int64_t proved_ns; /* when the device was last found sound */
    uint32_t n_files;  /* that will be loaded, as the campaign said last */
    bool unproved;     /* something was judged since */
    bool doubt;        /* and the device failed at it */
    int64_t start_ns, flushed_ns, pumped_ns;
    int64_t ready_ns; /* when the judge was opened */
    struct osw_rank_account account;
    int64_t asked_ns; /* when this process was first seen asked to stop; or 0 */
    struct osw_msg_summary sum;
    bool greeted; /* the coordinator, for this campaign */
    bool stopping, drop, left, summed_up, ended, lost;
    struct osw_error *err; /* set: the loop ends */
};

#endif /* OSW_MPI_RUNNER_RANK_H */

/* mpi_runner/sched/sched_config.h - what a scheduler is given */
#ifndef OSW_MPI_RUNNER_SCHED_CONFIG_H
#define OSW_MPI_RUNNER_SCHED_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct osw_sched_item {
    uint32_t op;      /* any numbering; bundles of one op share a worker */
    uint32_t n_cells; /* >= 1 */
    int64_t cost_ns;  /* predicted, of all cells; < 1 counts as 1 */
    uint32_t world;   /* workers that judge it together, a gang, for that time;
                         0 counts as 1; at most OSW_GANG_MAX */
    double bytes;     /* read and written by a call of its case; 0: unknown */
};

struct osw_sched_config {
    uint32_t n_workers;    /* numbered from 0; >= 1 */
    uint32_t max_attempts; /* that fail, of a cell; >= 1, below 255 */
    uint32_t max_ahead;    /* bundles at one worker, >= 1 */
    int64_t ahead_ns;      /* predicted cost waiting at one worker, about */
    uint32_t max_pardons;  /* times that a bundle's worker may be killed from
                              outside, beside those attempts */
    /* A bundle is late, and may be judged by a second worker at the end, after
     * so many times its predicted cost, and after so long; 0 times: never.
     */
    double late_times;
    int64_t late_ns;
    bool across_nodes; /* a gang that no node is large enough for may have
                          workers of several */
};

#endif /* OSW_MPI_RUNNER_SCHED_CONFIG_H */

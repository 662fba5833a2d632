/* mpi_runner/campaign/cost_table.h - durations by key
 *
 * Upstream: cost_history.c, cost_predict.c.  Pure.
 */
#ifndef OSW_MPI_RUNNER_COST_TABLE_H
#define OSW_MPI_RUNNER_COST_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* What was measured under one key, and what was predicted for the same. */
struct osw_cost_sum {
    uint64_t key;
    uint64_t n; /* cells; 0: the slot is empty */
    double took_ns, predicted_ns;
};

/* A hash table; one of zeros is empty. */
struct osw_cost_table {
    struct osw_cost_sum *slots; /* [size], owned */
    size_t size, used;          /* size is a power of two */
};

/* Add a cell.  Returns 0, or -1 without memory. */
int osw_cost_table_add(struct osw_cost_table *table, uint64_t key,
                       double took_ns, double predicted_ns) OSW_MUST_CHECK;

/* NULL: nothing is known. */
const struct osw_cost_sum *
osw_cost_table_find(const struct osw_cost_table *table, uint64_t key);

void osw_cost_table_free(struct osw_cost_table *table);

/* The key of an op, or, with impl not NULL, of its implementation. */
uint64_t osw_cost_table_key(const char *op, const char *impl);

#endif /* OSW_MPI_RUNNER_COST_TABLE_H */

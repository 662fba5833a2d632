/* mpi_runner/sched/chain.h - lists of numbered items, in order
 *
 * Items are 0..n-1; an item is on one list at most.  All lists share an array
 * next[n], which the caller owns: next[i] is the item after i.
 */
#ifndef OSW_MPI_RUNNER_CHAIN_H
#define OSW_MPI_RUNNER_CHAIN_H

#include <stdint.h>

#define OSW_CHAIN_NONE UINT32_MAX

struct osw_chain {
    uint32_t head, tail; /* head is NONE: it is empty */
};

/* clang-format off */
#define OSW_CHAIN_INIT { OSW_CHAIN_NONE, OSW_CHAIN_NONE }
/* clang-format on */

/* Append an item. */
void osw_chain_add(struct osw_chain *chain, uint32_t *next, uint32_t item);

/* Take the first item off, or NONE. */
uint32_t osw_chain_take(struct osw_chain *chain, const uint32_t *next);

/* Take any item off.  O(items before it).  Precondition: it is on the list. */
void osw_chain_drop(struct osw_chain *chain, uint32_t *next, uint32_t item);

#endif /* OSW_MPI_RUNNER_CHAIN_H */

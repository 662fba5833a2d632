/* mpi_runner/sched/heap.h - the largest of n numbered items, as their keys
 * change
 *
 * Items are 0..n-1; an item is in the heap or out of it.  Every operation is
 * O(log n), looking at the largest O(1).  Nothing allocates after create.
 */
#ifndef OSW_MPI_RUNNER_HEAP_H
#define OSW_MPI_RUNNER_HEAP_H

#include <stdint.h>

#include "common/error.h"

#define OSW_HEAP_NONE UINT32_MAX

typedef struct osw_heap osw_heap_t;

/* An empty heap for items 0..n-1, owned by the caller; NULL without memory. */
osw_heap_t *osw_heap_create(uint32_t n) OSW_MUST_CHECK;
void osw_heap_destroy(osw_heap_t *heap); /* NULL is ignored */

/* Put an item in, or move it to a new key.  Of equal keys the lower item
 * counts as larger, so that the order never depends on history.
 */
void osw_heap_set(osw_heap_t *heap, uint32_t item, double key);

/* Take an item out; one that is out stays out. */
void osw_heap_drop(osw_heap_t *heap, uint32_t item);

/* The item with the largest key, or OSW_HEAP_NONE; its key in *key. */
uint32_t osw_heap_top(const osw_heap_t *heap, double *key);

#endif /* OSW_MPI_RUNNER_HEAP_H */

/* common/parallel.h - the same work on many pieces, over a few threads */
#ifndef OSW_COMMON_PARALLEL_H
#define OSW_COMMON_PARALLEL_H

#include <stddef.h>

/* Threads worth starting: cores this process may use, 1 to 8. */
unsigned osw_parallel_threads(void);

/* Call fn(arg, i) for each i < n, in any order, on `n_threads` threads, of
 * which the caller's is one.  Returns when all have returned.  Threads that
 * cannot be started are done without.
 */
void osw_parallel(unsigned n_threads, size_t n, void (*fn)(void *arg, size_t i),
                  void *arg);

#endif /* OSW_COMMON_PARALLEL_H */

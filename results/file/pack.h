/* results/file/pack.h - what HDF5's filters shuffle + deflate make of a chunk
 *
 * Done here, so that it can be done on all cores and without searching noise
 * for repetitions; HDF5 undoes it as if it had been its own work.
 */
#ifndef OSW_RESULTS_PACK_H
#define OSW_RESULTS_PACK_H

#include <stddef.h>

#include "common/error.h"

enum { OSW_PACK_LEVEL = 1 }; /* of deflate */

/* Pack n values of `item` bytes as a chunk of chunk_n >= n values, the rest
 * zeros.  Pure; any thread.  Returns *bytes bytes, which the caller owns and
 * must free(), or NULL without memory.
 */
unsigned char *osw_pack(const void *values, size_t n, size_t item,
                        size_t chunk_n, size_t *bytes) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_PACK_H */

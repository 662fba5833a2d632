/* ops/build/node_store.h - a folder of this node for the objects of one
 * campaign
 *
 * It lies on a file system of this node: in $OPSWEEP_NODE_CACHE, or else in
 * TMPDIR, /dev/shm or /tmp, in the first of these that is local, lets code be
 * mapped and has room.  Only we can read it.  All processes of the campaign on
 * this node share it, and each holds a lock on it.  The last one to close it
 * removes it; what killed processes left is removed by osw_node_store_sweep().
 *
 * Upstream: mpi_runner/ranks/rank_objects.c.
 */
#ifndef OSW_OPS_NODE_STORE_H
#define OSW_OPS_NODE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { OSW_NODE_STORE_MAX_DIR = 256 };

/* Bytes in the folder, at most. */
#define OSW_NODE_STORE_MAX_BYTES (UINT64_C(512) << 20)

/* All zero: none is open. */
struct osw_node_store {
    char dir[OSW_NODE_STORE_MAX_DIR]; /* "": none */
    int fd;                           /* of the folder, locked */
};

/* Is `wish`, the value of OPSWEEP_NODE_CACHE or NULL, "off"? */
bool osw_node_store_is_off(const char *wish);

/* NULL, "", "off" or an absolute path?  0, or -1 with err set (OSW_BAD_INPUT).
 */
int osw_node_store_check(const char *wish,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Open the folder of the campaign of that name (letters and digits), made if
 * it is not there.  Returns 0, or -1 with err set (OSW_SYSTEM), which says why
 * the last folder that was tried is of no use.
 */
int osw_node_store_open(struct osw_node_store *store, const char *wish,
                        const char *campaign,
                        struct osw_error *err) OSW_MUST_CHECK;

/* The last process removes the folder. */
void osw_node_store_close(struct osw_node_store *store);

/* Do n bytes fit beside `used` ones, with `free` bytes left on the file system?
 * In all at most half of what was free before the first one is taken.
 */
bool osw_node_store_fits(uint64_t used, uint64_t free, uint64_t n);

/* Write the file NAME.SUFFIX, whole or not at all.  Returns 0, or -1 with err
 * set (OSW_SYSTEM): no room, or it cannot be written.
 */
int osw_node_store_put(const struct osw_node_store *store, const char *name,
                       const char *suffix, const void *bytes, size_t n,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Remove folders of ours that no living process holds. */
void osw_node_store_sweep(const char *wish);

#endif /* OSW_OPS_NODE_STORE_H */

/* mpi_runner/transport/object_table.h - the coordinator's objects: who makes
 * one, who waits for it
 *
 * The first rank that wants an object is told to make it.  Ranks that want it
 * meanwhile, or later, are sent it.  When its maker is lost the next rank that
 * waits makes it.  An object that cannot be made, does not fit or has other
 * bytes than its SHA-256 says is not sent: every rank builds it for itself.
 *
 * Pure but for memory: messages in, messages out.
 *
 * Upstream: peers_receive.c, peers.c.
 */
#ifndef OSW_MPI_RUNNER_OBJECT_TABLE_H
#define OSW_MPI_RUNNER_OBJECT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/msg.h"

/* Bytes of all objects that are kept. */
#define OSW_OBJECT_TABLE_BYTES (UINT64_C(256) << 20)

typedef struct osw_object_table osw_object_table_t;

/* With room for max_bytes.  NULL: no memory. */
osw_object_table_t *osw_object_table_create(uint64_t max_bytes);
void osw_object_table_destroy(osw_object_table_t *t); /* NULL is ignored */

/* A rank wants the object `id`.  Without memory it is not answered. */
void osw_object_table_want(osw_object_table_t *t, int rank, const char *id);

/* A rank sent a part of it, or says that there is none.  Returns 0, or -1 with
 * err set when it is of no use; the next ones may be.
 */
int osw_object_table_take(osw_object_table_t *t, int rank,
                          const struct osw_msg_object *m,
                          struct osw_error *err) OSW_MUST_CHECK;

/* A rank is lost. */
void osw_object_table_lost(osw_object_table_t *t, int rank);

/* The next message that goes to a rank that has room for it; false: none.  It
 * is borrowed until the next call.
 */
bool osw_object_table_next(osw_object_table_t *t,
                           bool (*has_room)(void *arg, int rank), void *arg,
                           int *rank, struct osw_msg *m);

#endif /* OSW_MPI_RUNNER_OBJECT_TABLE_H */

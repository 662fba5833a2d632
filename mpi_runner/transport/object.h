/* mpi_runner/transport/object.h - compiled code as messages: cut, joined,
 * verified
 *
 * Pure: bytes in, bytes out.
 *
 * Upstream: object_table.c (coordinator), rank_objects.c (workers).
 */
#ifndef OSW_MPI_RUNNER_OBJECT_H
#define OSW_MPI_RUNNER_OBJECT_H

#include <sha256.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/msg.h"

/* An object as a whole; borrows its bytes. */
struct osw_object {
    const char *id;
    enum osw_object_kind kind; /* CODE or REFUSAL */
    const unsigned char *data; /* [size], 1 to OSW_MSG_MAX_OBJECT */
    uint32_t size;
    char sha256[OSW_MSG_DIGITS + 1];
};

/* Set its sha256. */
void osw_object_sum(struct osw_object *o);

/* The message with its bytes from `offset` on; borrows from o. */
struct osw_msg osw_object_cut(const struct osw_object *o, uint32_t offset);

/* A message without bytes: MAKE or NONE. */
struct osw_msg osw_object_word(const char *id, enum osw_object_kind kind);

/* What came of an object so far.  All zero: nothing. */
struct osw_object_parts {
    unsigned char *data; /* owned; [size] */
    uint32_t size, used;
    enum osw_object_kind kind;
    char sha256[OSW_MSG_DIGITS + 1];
    SHA2_CTX sum;
};

/* Add the next chunk; one with offset 0 begins anew.  Returns 1 when the whole
 * is there and has the SHA-256 that was promised; 0 when more is to come; or -1
 * with err set and the parts freed:
 *   OSW_PROTOCOL   not the next chunk; other bytes than promised
 *   OSW_NO_MEMORY
 */
int osw_object_join(struct osw_object_parts *parts,
                    const struct osw_msg_object *m,
                    struct osw_error *err) OSW_MUST_CHECK;
void osw_object_parts_free(struct osw_object_parts *parts);

#endif /* OSW_MPI_RUNNER_OBJECT_H */

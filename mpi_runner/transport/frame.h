/* mpi_runner/transport/frame.h - many small messages in a frame, a long one in
 * many
 *
 * A frame is what a transport carries: at most OSW_FRAME_MAX bytes, so that
 * MPI sends it at once and never waits for the receiver.  It holds pieces:
 *
 *     frame: u16 magic, u16 version, piece...
 *     piece: u8 type, u8 more, u16 n, n bytes      more: goes on in the next
 *
 * One outbox and one inbox per peer.  Pure: bytes in, bytes out.
 */
#ifndef OSW_MPI_RUNNER_FRAME_H
#define OSW_MPI_RUNNER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/wire.h"

enum {
    OSW_FRAME_MAX = 4000, /* bytes; with MPI's header below 4 KiB */
    OSW_FRAME_MAGIC = 0x736f,
    OSW_FRAME_VERSION = 1,
    OSW_MESSAGE_MAX = 256 << 10, /* bytes of one message */
};

/* Messages on their way out, in order. */
struct osw_outbox {
    unsigned char *data; /* owned */
    size_t head, used, size;
    size_t sent;   /* bytes of the first message that are out */
    size_t peeked; /* what the last peek would take off, in messages' bytes */
    size_t peeked_sent; /* and `sent` after it */
};

/* Messages on their way in; assembles those that came in pieces. */
struct osw_inbox {
    struct osw_reader frame; /* borrowed while it is read */
    unsigned char *data;     /* owned: pieces so far */
    size_t used, size;
    uint8_t type; /* of the message in pieces */
    bool partial;
};

/* clang-format off */
#define OSW_OUTBOX_INIT { .data = NULL }
#define OSW_INBOX_INIT { .data = NULL }
/* clang-format on */

void osw_outbox_free(struct osw_outbox *o);
void osw_inbox_free(struct osw_inbox *in);

/* Append a message: `encode` writes its payload.  Returns 0, or -1 with err
 * set and the outbox unchanged:
 *   OSW_BAD_INPUT  the payload is longer than OSW_MESSAGE_MAX; or encode failed
 *   OSW_NO_MEMORY
 */
int osw_outbox_add(struct osw_outbox *o, uint8_t type,
                   int (*encode)(const void *msg, struct osw_writer *w,
                                 struct osw_error *err),
                   const void *msg, struct osw_error *err) OSW_MUST_CHECK;

/* Bytes that wait; 0 when all was taken. */
size_t osw_outbox_waiting(const struct osw_outbox *o);

/* Build the next frame; returns its length, 0 when nothing waits.  Until
 * osw_outbox_advance() the same messages would be put in again.
 */
size_t osw_outbox_peek(struct osw_outbox *o,
                       unsigned char frame[OSW_FRAME_MAX]);
void osw_outbox_advance(struct osw_outbox *o);

/* Forget what waits, but for the rest of a message that is out in part. */
void osw_outbox_drop(struct osw_outbox *o);

/* Begin to read a frame, which must stay until the last next().  Returns 0, or
 * -1 with err set (OSW_PROTOCOL): too long, another magic or version.
 */
int osw_inbox_open(struct osw_inbox *in, const void *frame, size_t n,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The next whole message of the frame: 1 with *type, *data, *n set, 0 at the
 * end of the frame, -1 with err set (OSW_PROTOCOL, OSW_NO_MEMORY).  *data is
 * borrowed until the next call.
 */
int osw_inbox_next(struct osw_inbox *in, uint8_t *type, const void **data,
                   size_t *n, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_FRAME_H */

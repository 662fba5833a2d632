/* mpi_runner/transport/frame.c - many small messages in a frame, a long one in
 * many */
#include "mpi_runner/transport/frame.h"

#include <stdlib.h>
#include <string.h>

/* In an outbox a message is u32 n, u8 type, n bytes. */
enum {
    FRAME_HEAD = 4,
    PIECE_HEAD = 4,
    MESSAGE_HEAD = 5,
    FIRST_SIZE = 1 << 10,
};

void osw_outbox_free(struct osw_outbox *o)
{
    free(o->data);
    *o = (struct osw_outbox)OSW_OUTBOX_INIT;
}

void osw_inbox_free(struct osw_inbox *in)
{
    free(in->data);
    *in = (struct osw_inbox)OSW_INBOX_INIT;
}

static int grow(unsigned char **data, size_t *size, size_t need,
                struct osw_error *err)
{
    size_t n = *size ? *size : FIRST_SIZE;
    unsigned char *more;

    while (n < need)
        n *= 2;
    if (n == *size)
        return 0;
    more = realloc(*data, n);
    if (!more)
        return osw_fail(err, OSW_NO_MEMORY,
                        "no memory for %zu bytes of "
                        "messages",
                        n);
    *data = more;
    *size = n;
    return 0;
}

/* --- out --- */

static struct osw_writer payload_writer(const struct osw_outbox *o)
{
    size_t room = 0;

    if (o->size >= o->used + MESSAGE_HEAD)
        room = o->size - o->used - MESSAGE_HEAD;
    if (room > OSW_MESSAGE_MAX)
        room = OSW_MESSAGE_MAX;
    return osw_writer(room ? o->data + o->used + MESSAGE_HEAD : NULL, room);
}

/* Move what waits to the front once most of the memory is before it. */
static void compact(struct osw_outbox *o)
{
    if (o->head <= o->size / 2)
        return;
    memmove(o->data, o->data + o->head, o->used - o->head);
    o->used -= o->head;
    o->head = 0;
}

int osw_outbox_add(struct osw_outbox *o, uint8_t type,
                   int (*encode)(const void *msg, struct osw_writer *w,
                                 struct osw_error *err),
                   const void *msg, struct osw_error *err)
{
    struct osw_writer w;
    uint32_t n;

    compact(o);
    for (;;) {
        w = payload_writer(o);
        if (encode(msg, &w, err) < 0)
            return -1;
        if (!w.overrun && o->size >= o->used + MESSAGE_HEAD)
            break;
        if (w.size == OSW_MESSAGE_MAX)
            return osw_fail(err, OSW_BAD_INPUT, "message longer than %d bytes",
                            OSW_MESSAGE_MAX);
        if (grow(&o->data, &o->size, o->size + FIRST_SIZE, err) < 0)
            return -1;
    }
    n = (uint32_t)w.used;
    memcpy(o->data + o->used, &n, sizeof(n));
    o->data[o->used + 4] = type;
    o->used += MESSAGE_HEAD + w.used;
    return 0;
}

size_t osw_outbox_waiting(const struct osw_outbox *o)
{
    return o->used - o->head;
}

static void write_piece(struct osw_writer *w, uint8_t type, bool more,
                        const unsigned char *data, size_t n)
{
    void *p;

    osw_write_u8(w, type);
    osw_write_u8(w, more);
    osw_write_u16(w, (uint16_t)n);
    p = osw_write_raw(w, n);
    if (n)
        memcpy(p, data, n);
}

/* Whole messages as long as they fit; one that fits in no frame is cut. */
size_t osw_outbox_peek(struct osw_outbox *o, unsigned char frame[OSW_FRAME_MAX])
{
    struct osw_writer w = osw_writer(frame, OSW_FRAME_MAX);
    size_t at = o->head, sent = o->sent;

    osw_write_u16(&w, OSW_FRAME_MAGIC);
    osw_write_u16(&w, OSW_FRAME_VERSION);
    while (at < o->used && w.size - w.used > PIECE_HEAD) {
        size_t room = w.size - w.used - PIECE_HEAD, left;
        const unsigned char *m = o->data + at;
        uint32_t n;

        memcpy(&n, m, sizeof(n));
        left = n - sent;
        if (left > room && w.used > FRAME_HEAD)
            break;
        if (left > room) {
            write_piece(&w, m[4], true, m + MESSAGE_HEAD + sent, room);
            sent += room;
            break;
        }
        write_piece(&w, m[4], false, m + MESSAGE_HEAD + sent, left);
        at += MESSAGE_HEAD + n;
        sent = 0;
    }
    o->peeked = at;
    o->peeked_sent = sent;
    return w.used > FRAME_HEAD ? w.used : 0;
}

void osw_outbox_advance(struct osw_outbox *o)
{
    o->head = o->peeked;
    o->sent = o->peeked_sent;
    if (o->head == o->used)
        o->head = o->used = o->peeked = 0;
}

void osw_outbox_drop(struct osw_outbox *o)
{
    uint32_t n;

    if (o->sent) {
        memcpy(&n, o->data + o->head, sizeof(n));
        o->used = o->head + MESSAGE_HEAD + n;
    } else {
        o->head = o->used = 0;
    }
}

/* --- in --- */

int osw_inbox_open(struct osw_inbox *in, const void *frame, size_t n,
                   struct osw_error *err)
{
    struct osw_reader r = osw_reader(frame, n);
    unsigned magic = osw_read_u16(&r), version = osw_read_u16(&r);

    in->frame = osw_reader(frame, 0);
    if (n > OSW_FRAME_MAX)
        return osw_fail(err, OSW_PROTOCOL, "frame of %zu bytes, at most %d", n,
                        OSW_FRAME_MAX);
    if (r.overrun)
        return osw_fail(err, OSW_PROTOCOL,
                        "frame of %zu bytes ends in its "
                        "head",
                        n);
    if (magic != OSW_FRAME_MAGIC)
        return osw_fail(err, OSW_PROTOCOL,
                        "frame starts with 0x%04x, "
                        "expected 0x%04x",
                        magic, OSW_FRAME_MAGIC);
    if (version != OSW_FRAME_VERSION)
        return osw_fail(err, OSW_PROTOCOL, "frame of version %u, expected %d",
                        version, OSW_FRAME_VERSION);
    in->frame = r;
    return 0;
}

/* Add a piece to what came before it. */
static int collect(struct osw_inbox *in, uint8_t type, const void *piece,
                   size_t n, struct osw_error *err)
{
    if (!in->partial)
        in->used = 0;
    else if (type != in->type)
        return osw_fail(err, OSW_PROTOCOL,
                        "message of type %u interrupted by "
                        "type %u",
                        in->type, type);
    if (n > OSW_MESSAGE_MAX - in->used)
        return osw_fail(err, OSW_PROTOCOL,
                        "message of type %u is longer than "
                        "%d bytes",
                        type, OSW_MESSAGE_MAX);
    if (grow(&in->data, &in->size, in->used + n, err) < 0)
        return -1;
    if (n)
        memcpy(in->data + in->used, piece, n);
    in->used += n;
    in->type = type;
    return 0;
}

int osw_inbox_next(struct osw_inbox *in, uint8_t *type, const void **data,
                   size_t *n, struct osw_error *err)
{
    struct osw_reader *r = &in->frame;

    while (r->used < r->size) {
        uint8_t t = osw_read_u8(r), more = osw_read_u8(r);
        size_t len = osw_read_u16(r);
        const void *p = osw_read_raw(r, len);

        if (r->overrun)
            return osw_fail(err, OSW_PROTOCOL,
                            "frame ends inside a message "
                            "of type %u",
                            t);
        if (more > 1)
            return osw_fail(err, OSW_PROTOCOL,
                            "message of type %u with "
                            "continuation %u, expected 0 or 1",
                            t, more);
        if (more || in->partial) {
            if (collect(in, t, p, len, err) < 0)
                return -1;
            in->partial = more;
            if (more)
                continue;
            p = in->data;
            len = in->used;
        }
        *type = t;
        *data = p;
        *n = len;
        return 1;
    }
    return 0;
}

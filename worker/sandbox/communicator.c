/* worker/sandbox/communicator.c - messages between the sandboxes of a gang */
#include "worker/sandbox/communicator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "worker/stamps.h"

enum {
    SPINS = 200,       /* before it sleeps: ranks may share a core */
    NAP_NS = 20000000, /* after which it looks at `ended`, which rings none */
    HEAD = sizeof(uint64_t), /* of a message: its size */
};

/* One message, on its way through a ring. */
struct flow {
    const struct osw_communicator_state *of;
    struct osw_segment_ring *ring; /* NULL: there is none */
    struct osw_segment_bell *bell; /* of the peer */
    int peer;
    uint64_t head; /* size of the message */
    unsigned char *data;
    uint64_t at, end; /* bytes of head and data so far, and in all */
    bool broken;      /* it could not be copied */
};

/* False: the device failed, which is said. */
typedef bool copy_f(struct flow *f, unsigned char *ring, uint64_t n);

static struct osw_communicator_state *state_of(const osw_communicator *c)
{
    return c->runner;
}

static struct osw_segment_head *head_of(const struct osw_communicator_state *s)
{
    return (void *)s->base;
}

static int fail(const struct osw_communicator_state *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(const struct osw_communicator_state *s, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    s->say(s->say_arg, text);
    return OSW_ERROR;
}

/* --- waiting --- */

/* Until it is rung again after `seen`, or a nap is over. */
static void sleep_until_rung(struct osw_segment_bell *bell, uint32_t seen)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    (void)syscall(SYS_futex, &bell->rung, FUTEX_WAIT, seen, &nap, NULL, 0);
}

/* --- rings --- */

/* What op code sends and receives may lie in a device's memory. */
static bool copy_data(const struct flow *f, void *to, const void *from,
                      uint64_t n)
{
    if (f->of->copy)
        return f->of->copy(f->of->say_arg, to, from, n);
    memcpy(to, from, n);
    return true;
}

static bool put(struct flow *f, unsigned char *ring, uint64_t n)
{
    if (f->at >= HEAD)
        return copy_data(f, ring, f->data + (f->at - HEAD), n);
    memcpy(ring, (unsigned char *)&f->head + f->at, n);
    return true;
}

static bool take(struct flow *f, unsigned char *ring, uint64_t n)
{
    if (f->at >= HEAD)
        return copy_data(f, f->data + (f->at - HEAD), ring, n);
    memcpy((unsigned char *)&f->head + f->at, ring, n);
    return true;
}

/* Copy what can be copied at ring position `from`, `room` bytes at most: no
 * further than the ring's end, the end of the head, the end of the message.
 */
static uint64_t step(struct flow *f, uint64_t from, uint64_t room,
                     uint64_t capacity, copy_f *copy)
{
    uint64_t n = (f->at < HEAD ? HEAD : f->end) - f->at, at = from % capacity;

    if (n > room)
        n = room;
    if (n > capacity - at)
        n = capacity - at;
    if (n > 0 && !copy(f, f->ring->bytes + at, n)) {
        f->broken = true;
        return 0;
    }
    f->at += n;
    return n;
}

/* Send what fits; how many bytes, or -1: the ring makes no sense. */
static int64_t push(struct flow *f, uint64_t capacity)
{
    uint64_t written, used, sum = 0, n;

    if (!f->ring || f->at == f->end)
        return 0;
    written = atomic_load(&f->ring->written);
    used = written - atomic_load(&f->ring->read);
    if (used > capacity)
        return -1;
    while (f->at < f->end && (n = step(f, written + sum, capacity - used - sum,
                                       capacity, put)) > 0)
        sum += n;
    if (sum > 0) {
        atomic_store(&f->ring->written, written + sum);
        osw_segment_ring_bell(f->bell);
    }
    return (int64_t)sum;
}

/* Receive what is there, as push().  Nothing of a message of another size. */
static int64_t pull(struct flow *f, uint64_t capacity)
{
    uint64_t read, used, sum = 0, n;

    if (!f->ring || f->at == f->end)
        return 0;
    read = atomic_load(&f->ring->read);
    used = atomic_load(&f->ring->written) - read;
    if (used > capacity)
        return -1;
    while (f->at < f->end && (f->at < HEAD || f->head == f->end - HEAD) &&
           (n = step(f, read + sum, used - sum, capacity, take)) > 0)
        sum += n;
    if (sum > 0) {
        atomic_store(&f->ring->read, read + sum);
        osw_segment_ring_bell(f->bell);
    }
    return (int64_t)sum;
}

static bool has_other_size(const struct flow *f)
{
    return f->ring && f->at >= HEAD && f->head != f->end - HEAD;
}

/* --- messages --- */

/* For a judge that ends this process in the middle of it: the peer that it
 * waits for.
 */
static void tell_peer(const struct osw_communicator_state *s,
                      const struct flow *out, const struct flow *in)
{
    const struct flow *late = in->at < in->end ? in : out;
    uint32_t peer = late->at < late->end ? (uint32_t)late->peer + 1 : 0;

    atomic_store(&head_of(s)->bells[s->face.rank].peer, peer);
}

/* Both ways at a time, so that ranks that send to each other do not wait for
 * each other.
 */
static int carry(const struct osw_communicator_state *s, struct flow *out,
                 struct flow *in)
{
    struct osw_segment_head *head = head_of(s);
    struct osw_segment_bell *bell = &head->bells[s->face.rank];
    uint64_t capacity = osw_segment_ring_bytes((uint32_t)s->face.size);

    for (uint32_t idle = 0;;) {
        uint32_t seen = atomic_load(&bell->rung), ended;
        int64_t sent = push(out, capacity), got = pull(in, capacity);

        ended = atomic_load(&head->ended);
        if (out->broken || in->broken)
            return OSW_ERROR;
        if (sent < 0 || got < 0 || ended > (uint32_t)s->face.size)
            return fail(s, "the communicator's memory was overwritten");
        if (has_other_size(in))
            return fail(s, "rank %d sent %llu bytes to rank %d, expected %llu",
                        in->peer, (unsigned long long)in->head, s->face.rank,
                        (unsigned long long)(in->end - HEAD));
        if (out->at == out->end && in->at == in->end) {
            tell_peer(s, out, in);
            return 0;
        }
        if (sent > 0 || got > 0) {
            idle = 0;
            continue;
        }
        if (ended)
            return fail(s, "rank %u has ended", ended - 1);
        if (idle++ < SPINS) {
            osw_stamps_pause();
        } else if (idle % 2) { /* look once more after it says that it waits */
            tell_peer(s, out, in);
            atomic_store(&bell->waits, 1);
        } else {
            sleep_until_rung(bell, seen);
            atomic_store(&bell->waits, 0);
        }
    }
}

static bool is_peer(const osw_communicator *c, int rank)
{
    return rank >= 0 && rank < c->size && rank != c->rank;
}

/* A message between rank `from` and rank `to`, one of which is ours. */
static struct flow flow_of(const struct osw_communicator_state *s, int from,
                           int to, void *data, uint64_t bytes)
{
    int peer = from == s->face.rank ? to : from;

    return (struct flow){
        .of = s,
        .ring = (void *)(s->base + osw_segment_ring_at((uint32_t)s->face.size,
                                                       (uint32_t)from,
                                                       (uint32_t)to)),
        .bell = &head_of(s)->bells[peer],
        .peer = peer,
        .head = from == s->face.rank ? bytes : 0,
        .data = data,
        .end = HEAD + bytes};
}

static int send_and_receive(const osw_communicator *c, int to, const void *sent,
                            size_t sent_bytes, int from, void *got,
                            size_t got_bytes)
{
    struct osw_communicator_state *s = state_of(c);
    struct flow out = {.ring = NULL}, in = {.ring = NULL};

    if ((to != -1 && !is_peer(c, to)) || (from != -1 && !is_peer(c, from)))
        return fail(s,
                    "rank %d: message to rank %d, from rank %d: expected "
                    "another rank of 0 to %d, or -1",
                    c->rank, to, from, c->size - 1);
    if ((sent_bytes > 0 && !sent) || (got_bytes > 0 && !got) ||
        sent_bytes > INT64_MAX || got_bytes > INT64_MAX)
        return fail(s, "rank %d: a message without memory", c->rank);
    s->n_messages++;
    if (to >= 0)
        out = flow_of(s, c->rank, to, (void *)(uintptr_t)sent, sent_bytes);
    if (from >= 0)
        in = flow_of(s, from, c->rank, got, got_bytes);
    return carry(s, &out, &in);
}

void osw_communicator_join(struct osw_communicator_state *s, void *base,
                           uint32_t rank, uint32_t size, bool one_node)
{
    s->base = base;
    s->face = (osw_communicator){.bytes = sizeof(s->face),
                                 .rank = (int32_t)rank,
                                 .size = (int32_t)size,
                                 .one_node = one_node,
                                 .runner = s,
                                 .sendrecv = send_and_receive};
}

uint32_t osw_communicator_ended(const struct osw_communicator_state *s)
{
    return atomic_load(&head_of(s)->ended);
}

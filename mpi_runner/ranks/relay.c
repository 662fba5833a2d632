/* mpi_runner/ranks/relay.c - messages of a gang's op code between nodes */
#include "mpi_runner/ranks/relay.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi_runner/transport/bus_error.h"
#include "worker/segment.h"

/* `ended` of a segment that was overwritten: no rank. */
enum { SPOILT = OSW_GANG_MAX + 1 };

int osw_relay_open(struct osw_relay *r, int fd, uint32_t rank, uint32_t size,
                   struct osw_error *err)
{
    void *base = mmap(NULL, osw_segment_bytes(size), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fd, 0);

    osw_relay_close(r);
    if (base == MAP_FAILED)
        return osw_fail_sys(err, errno, "cannot map a gang's memory");
    *r = (struct osw_relay){.base = base, .rank = rank, .size = size};
    return 0;
}

void osw_relay_close(struct osw_relay *r)
{
    if (r->base)
        munmap(r->base, osw_segment_bytes(r->size));
    r->base = NULL;
}

static struct osw_segment_head *head_of(const struct osw_relay *r)
{
    return r->base;
}

static struct osw_segment_ring *ring_of(const struct osw_relay *r,
                                        uint32_t from, uint32_t to)
{
    return (void *)((unsigned char *)r->base +
                    osw_segment_ring_at(r->size, from, to));
}

/* Only this rank's sandbox waits for what is done here. */
static void wake(const struct osw_relay *r)
{
    osw_segment_ring_bell(&head_of(r)->bells[r->rank]);
}

static void end(const struct osw_relay *r, uint32_t ended)
{
    uint32_t none = 0;

    if (atomic_compare_exchange_strong(&head_of(r)->ended, &none, ended))
        wake(r);
}

/* Copy n bytes of a ring that begin at position `at`. */
static void copy_out(const struct osw_segment_ring *ring, uint64_t capacity,
                     uint64_t at, unsigned char *to, uint32_t n)
{
    uint64_t first = capacity - at % capacity;

    if (first > n)
        first = n;
    memcpy(to, ring->bytes + at % capacity, first);
    memcpy(to + first, ring->bytes, n - first);
}

static void copy_in(struct osw_segment_ring *ring, uint64_t capacity,
                    uint64_t at, const unsigned char *from, uint32_t n)
{
    uint64_t first = capacity - at % capacity;

    if (first > n)
        first = n;
    memcpy(ring->bytes + at % capacity, from, first);
    memcpy(ring->bytes, from + first, n - first);
}

/* A parcel from or to the worker of a rank. */
struct job {
    struct osw_relay *of;
    uint32_t peer;
    struct osw_msg_flow *out;
    const struct osw_msg_flow *in;
};

static void collect(void *arg)
{
    const struct job *job = arg;
    struct osw_relay *r = job->of;
    const struct osw_relay_way *w = &r->ways[job->peer];
    const struct osw_segment_ring *ring = ring_of(r, r->rank, job->peer);
    uint64_t capacity = osw_segment_ring_bytes(r->size);
    uint64_t written = atomic_load(&ring->written), n = written - w->sent;

    if (written - w->acked > capacity) {
        end(r, SPOILT);
        n = 0;
    }
    job->out->n = n < sizeof(r->room) ? (uint32_t)n : (uint32_t)sizeof(r->room);
    copy_out(ring, capacity, w->sent, r->room, job->out->n);
    job->out->read = atomic_load(&ring_of(r, job->peer, r->rank)->read);
    job->out->ended = atomic_load(&head_of(r)->ended);
}

bool osw_relay_next(struct osw_relay *r, uint32_t to, struct osw_msg_flow *m)
{
    struct osw_relay_way *w = &r->ways[to];
    struct job job = {.of = r, .peer = to, .out = m};

    *m = (struct osw_msg_flow){.bytes = r->room};
    if (!osw_bus_error_try(collect, &job))
        *m = (struct osw_msg_flow){.read = w->told, .ended = SPOILT};
    if (m->n == 0 && m->read == w->told && m->ended == w->ended)
        return false;
    w->sent += m->n;
    w->told = m->read;
    w->ended = m->ended;
    return true;
}

static void deliver(void *arg)
{
    const struct job *job = arg;
    struct osw_relay *r = job->of;
    struct osw_relay_way *w = &r->ways[job->peer];
    struct osw_segment_ring *ring = ring_of(r, job->peer, r->rank);
    uint64_t capacity = osw_segment_ring_bytes(r->size);

    if (job->in->n > capacity - (w->put - w->told)) {
        end(r, SPOILT);
        return;
    }
    if (job->in->n > 0) /* else there may be no bytes to point to */
        copy_in(ring, capacity, w->put, job->in->bytes, job->in->n);
    w->put += job->in->n;
    atomic_store(&ring->written, w->put);
    w->acked = job->in->read;
    atomic_store(&ring_of(r, r->rank, job->peer)->read, w->acked);
    if (job->in->ended)
        end(r, job->in->ended);
    wake(r);
}

void osw_relay_take(struct osw_relay *r, uint32_t from,
                    const struct osw_msg_flow *m)
{
    struct job job = {.of = r, .peer = from, .in = m};

    (void)osw_bus_error_try(deliver, &job); /* else next() says so */
}

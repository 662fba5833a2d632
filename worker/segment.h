/* worker/segment.h - the memory by which the sandboxes of a gang communicate
 *
 * One file of shared memory: a head, then a ring of bytes for each ordered pair
 * of ranks.  Every sandbox of the gang can write all of it, so nothing that
 * lies there is trusted: a sandbox checks each number that it reads, and a
 * judge maps none of it.  A judge writes `ended` through the file's descriptor,
 * and reads `peer` for the words on a rank that is late.
 *
 * A gang across nodes has one on each node.  A ring between ranks of two nodes
 * is in both, and the worker of each of the two ranks keeps them alike
 * (mpi_runner/ranks/relay.h).
 *
 * Upstream: judge/gang/meeting.c makes it.  Downstream:
 * sandbox/communicator.c, mpi_runner/ranks/relay.c.
 */
#ifndef OSW_WORKER_SEGMENT_H
#define OSW_WORKER_SEGMENT_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/gang.h"

enum {
    OSW_SEGMENT_LINE = 64, /* of a cache */
    OSW_SEGMENT_RING = 64 << 10,
    OSW_SEGMENT_SMALL_RING = 16 << 10, /* of more than 16 ranks */
};

/* Rung by a peer that wrote or read what this rank may wait for. */
struct osw_segment_bell {
    _Alignas(OSW_SEGMENT_LINE) _Atomic uint32_t rung; /* a futex */
    _Atomic uint32_t waits;
    _Atomic uint32_t peer; /* that it communicates with, + 1; 0: none */
};

struct osw_segment_head {
    /* Of the first member whose sandbox ended or gave up: its rank + 1; its
     * peers need not wait for it.  0: none has.
     */
    _Alignas(OSW_SEGMENT_LINE) _Atomic uint32_t ended;
    struct osw_segment_bell bells[OSW_GANG_MAX];
};

/* Bytes that were written and read so far.  A message is its size (u64), then
 * its bytes.
 */
struct osw_segment_ring {
    _Alignas(OSW_SEGMENT_LINE) _Atomic uint64_t written;
    _Alignas(OSW_SEGMENT_LINE) _Atomic uint64_t read;
    unsigned char bytes[];
};

/* The code of others need not wait for that rank. */
static inline void osw_segment_end(int fd, uint32_t rank)
{
    uint32_t ended = rank + 1;

    (void)!pwrite(fd, &ended, sizeof(ended),
                  offsetof(struct osw_segment_head, ended));
}

/* There is something new for the rank of that bell. */
static inline void osw_segment_ring_bell(struct osw_segment_bell *bell)
{
    atomic_fetch_add(&bell->rung, 1);
    if (atomic_load(&bell->waits))
        (void)syscall(SYS_futex, &bell->rung, FUTEX_WAKE, INT_MAX, NULL, NULL,
                      0);
}

static inline bool osw_segment_fits(uint32_t rank, uint32_t size)
{
    return size >= 2 && size <= OSW_GANG_MAX && rank < size;
}

static inline uint64_t osw_segment_ring_bytes(uint32_t size)
{
    return size <= 16 ? OSW_SEGMENT_RING : OSW_SEGMENT_SMALL_RING;
}

/* Where the ring from one rank to another lies. */
static inline uint64_t osw_segment_ring_at(uint32_t size, uint32_t from,
                                           uint32_t to)
{
    return sizeof(struct osw_segment_head) +
           ((uint64_t)from * size + to) *
               (sizeof(struct osw_segment_ring) + osw_segment_ring_bytes(size));
}

static inline uint64_t osw_segment_bytes(uint32_t size)
{
    return osw_segment_ring_at(size, size, 0);
}

#endif /* OSW_WORKER_SEGMENT_H */

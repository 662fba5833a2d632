/* tests/simulate/events.h - what happens next, in the order of virtual time
 *
 * Events of one time come in the order in which they were added.
 */
#ifndef OSW_TESTS_SIMULATE_EVENTS_H
#define OSW_TESTS_SIMULATE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame on its way, or in the list of those that came. */
struct sim_frame {
    struct sim_frame *next;
    int rank; /* at its other end */
    size_t n;
    unsigned char data[];
};

enum sim_event_kind {
    SIM_TO_COORDINATOR, /* a frame arrives there */
    SIM_TO_RANK,
    SIM_CELL_END, /* the cell that the rank judges has ended */
    SIM_TICK,     /* is a heartbeat of the rank due? */
    SIM_DEATH,    /* it dies, and says nothing any more */
    SIM_PAUSE,    /* it is stopped for a while */
};

struct sim_event {
    int64_t at_ns;
    uint64_t order;
    struct sim_frame *frame; /* owned; NULL: none */
    int rank;
    enum sim_event_kind kind;
};

struct sim_events {
    struct sim_event *heap; /* owned; [n] the earliest first */
    size_t n, size;
    uint64_t n_added;
};

void sim_events_add(struct sim_events *e, int64_t at_ns,
                    enum sim_event_kind kind, int rank,
                    struct sim_frame *frame);

/* Take the earliest if it is due by then. */
bool sim_events_take(struct sim_events *e, int64_t by_ns,
                     struct sim_event *out);

/* When the earliest is due; INT64_MAX: there is none. */
int64_t sim_events_next_ns(const struct sim_events *e);

void sim_events_free(struct sim_events *e);

#endif /* OSW_TESTS_SIMULATE_EVENTS_H */

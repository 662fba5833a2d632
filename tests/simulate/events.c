/* tests/simulate/events.c - what happens next, in the order of virtual time */
#include "tests/simulate/events.h"

#include <stdlib.h>

#include "tests/simulate/sim.h"

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

void sim_events_add(struct sim_events *e, int64_t at_ns,
                    enum sim_event_kind kind, int rank, struct sim_frame *frame)
{
    struct sim_event new = {at_ns, e->n_added++, frame, rank, kind};
    size_t i = e->n++;

    if (e->n > e->size) {
        e->size = e->size ? 2 * e->size : 1024;
        e->heap = sim_resize(e->heap, e->size * sizeof(*e->heap));
    }
    while (i > 0 && is_before(&new, &e->heap[(i - 1) / 2])) {
        e->heap[i] = e->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e->heap[i] = new;
}

bool sim_events_take(struct sim_events *e, int64_t by_ns, struct sim_event *out)
{
    struct sim_event last;
    size_t i = 0, child;

    if (e->n == 0 || e->heap[0].at_ns > by_ns)
        return false;
    *out = e->heap[0];
    last = e->heap[--e->n];
    while ((child = 2 * i + 1) < e->n) {
        if (child + 1 < e->n && is_before(&e->heap[child + 1], &e->heap[child]))
            child++;
        if (!is_before(&e->heap[child], &last))
            break;
        e->heap[i] = e->heap[child];
        i = child;
    }
    e->heap[i] = last;
    return true;
}

int64_t sim_events_next_ns(const struct sim_events *e)
{
    return e->n ? e->heap[0].at_ns : INT64_MAX;
}

void sim_events_free(struct sim_events *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->heap[i].frame);
    free(e->heap);
    *e = (struct sim_events){.heap = NULL};
}

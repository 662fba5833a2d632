/* mpi_runner/sched/sched_twin.c - a second copy of a bundle that takes too long
 *
 * A bundle is on one list at most (chain.h): its second copy is not in the hand
 * of the worker that has it, but a field of both.
 */
#include <assert.h>

#include "mpi_runner/sched/sched.h"
#include "mpi_runner/sched/sched_parts.h"

/* Predictions of short bundles are good for little, so late_ns is the least. */
static bool is_long(const osw_sched_t *s, const struct bundle *b,
                    int64_t elapsed_ns)
{
    return s->config.late_times > 0 && elapsed_ns > s->config.late_ns &&
           (double)elapsed_ns > s->config.late_times * (double)b->cost_ns;
}

/* What of its hand another worker should judge, too: the first that has no
 * second copy.  It gave back what waits, if it listens at all.  Or NONE.
 */
static uint32_t to_copy(const osw_sched_t *s, const struct worker *w)
{
    uint32_t i = w->hand.head;

    for (uint32_t n = 0; n < w->n; n++, i = s->next[i]) {
        const struct bundle *b = &s->bundles[i];

        if (b->n_open > 0 && !b->suspect && !b->had_twin)
            return i;
    }
    return NONE;
}

bool osw_sched_is_late(const osw_sched_t *sched, uint32_t worker,
                       int64_t elapsed_ns)
{
    const struct worker *w = &sched->workers[worker];

    return w->n > 0 && sched->n_idle > 0 &&
           is_long(sched, &sched->bundles[w->hand.head], elapsed_ns) &&
           !osw_sched_has_queued(sched) && to_copy(sched, w) != NONE;
}

bool osw_sched_is_idle(const osw_sched_t *sched, uint32_t worker)
{
    return sched->workers[worker].is_idle;
}

struct osw_sched_task osw_sched_twin(osw_sched_t *sched, uint32_t late,
                                     uint32_t idle)
{
    struct worker *w = &sched->workers[idle];
    uint32_t i = to_copy(sched, &sched->workers[late]);
    struct bundle *b = &sched->bundles[i];

    assert(w->is_idle);
    b->had_twin = true;
    b->twin = idle;
    b->twin_attempt = ++b->attempt;
    w->twin = i;
    sched->n_out++;
    osw_sched_count(sched, w);
    return (struct osw_sched_task){i, b->twin_attempt};
}

void osw_sched_drop_twin(osw_sched_t *s, struct bundle *b)
{
    struct worker *w = &s->workers[b->twin];

    b->twin = NONE;
    w->twin = NONE;
    s->n_out--;
    osw_sched_count(s, w);
}

void osw_sched_hand_over(osw_sched_t *s, uint32_t bundle)
{
    struct bundle *b = &s->bundles[bundle];
    struct worker *w = &s->workers[b->twin];

    b->worker = b->twin;
    b->current = b->twin_attempt;
    b->twin = NONE;
    w->twin = NONE;
    osw_chain_add(&w->hand, s->next, bundle);
    w->n++;
    w->cost_ns += b->cost_ns;
    osw_sched_count(s, w);
}

bool osw_sched_is_overtaken(const osw_sched_t *sched, uint32_t worker)
{
    const struct worker *w = &sched->workers[worker];
    bool some = w->twin != NONE;

    if (some && sched->bundles[w->twin].n_open > 0)
        return false;
    for (uint32_t b = w->hand.head, i = 0; i < w->n; b = sched->next[b], i++) {
        some |= sched->bundles[b].had_twin;
        if (sched->bundles[b].n_open > 0)
            return false;
    }
    return some;
}

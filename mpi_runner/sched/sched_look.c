/* mpi_runner/sched/sched_look.c - what a scheduler says of itself */
#include "mpi_runner/sched/sched.h"
#include "mpi_runner/sched/sched_parts.h"

uint32_t osw_sched_n_live(const osw_sched_t *sched)
{
    return sched->n_live;
}

bool osw_sched_is_open(const osw_sched_t *sched, uint32_t bundle, uint32_t k)
{
    return sched->cells[sched->bundles[bundle].first + k] != SETTLED;
}

bool osw_sched_is_meant(const osw_sched_t *sched, uint32_t bundle, uint32_t k)
{
    uint32_t only = sched->bundles[bundle].only;

    return osw_sched_is_open(sched, bundle, k) && (only == NONE || only == k);
}

bool osw_sched_has_failed(const osw_sched_t *sched, uint32_t bundle)
{
    const struct bundle *b = &sched->bundles[bundle];

    return b->failures > 0 || b->pardons > 0 || b->suspect;
}

uint64_t osw_sched_n_open(const osw_sched_t *sched)
{
    return sched->n_open;
}

bool osw_sched_is_uneven(const osw_sched_t *sched)
{
    return sched->n_idle > 0 && sched->n_with_two > 0;
}

bool osw_sched_has_single(const osw_sched_t *sched)
{
    double key;

    return sched->retry.head != NONE ||
           osw_heap_top(sched->by_head, &key) != OSW_HEAP_NONE;
}

bool osw_sched_has_queued(const osw_sched_t *sched)
{
    return sched->suspects.head != NONE || sched->alone.head != NONE ||
           osw_sched_has_single(sched);
}

bool osw_sched_has_gang(const osw_sched_t *sched)
{
    return sched->n_gangs_queued > 0;
}

uint32_t osw_sched_world(const osw_sched_t *sched, const struct bundle *b)
{
    return b->gang == NONE ? 1 : sched->gangs[b->gang].world;
}

bool osw_sched_is_awaited(const osw_sched_t *sched, uint32_t worker)
{
    /* What is asked of 100,000 workers a second looks at them last. */
    return sched->n_idle > 0 && !osw_sched_has_queued(sched) &&
           osw_sched_n_flying(sched, worker) > 0 &&
           sched->bundles[osw_sched_current(sched, worker)].failures == 0;
}

uint32_t osw_sched_n_to_return(const osw_sched_t *sched, uint32_t worker)
{
    return sched->workers[worker].n / 2;
}

uint32_t osw_sched_n_flying(const osw_sched_t *sched, uint32_t worker)
{
    const struct worker *w = &sched->workers[worker];

    return w->n + (w->twin != NONE) +
           (w->gang != NONE && sched->gangs[w->gang].out && !w->ended);
}

uint32_t osw_sched_n_out(const osw_sched_t *sched)
{
    return sched->n_out;
}

uint32_t osw_sched_current(const osw_sched_t *sched, uint32_t worker)
{
    const struct worker *w = &sched->workers[worker];

    if (w->n)
        return w->hand.head;
    return w->twin != NONE ? w->twin : sched->gangs[w->gang].bundle;
}

double osw_sched_progress(const osw_sched_t *sched)
{
    if (sched->n_open == 0)
        return 1;
    return sched->settled_ns / sched->total_ns;
}

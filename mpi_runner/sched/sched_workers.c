/* mpi_runner/sched/sched_workers.c - workers come and go, and are trusted or
 * not
 */
#include "mpi_runner/sched/sched.h"
#include "mpi_runner/sched/sched_parts.h"

static void trust(struct osw_sched *s, uint32_t worker, uint32_t node)
{
    s->workers[worker].suspect = false;
    s->n_trusted++;
    osw_sched_node_gains(s, worker, node);
    osw_sched_count(s, &s->workers[worker]);
}

void osw_sched_worker_ready(osw_sched_t *sched, uint32_t worker, uint32_t node)
{
    struct worker *w = &sched->workers[worker];

    if (w->live)
        return;
    w->live = true;
    w->late = false;
    sched->n_live++;
    trust(sched, worker, node);
}

void osw_sched_distrust(struct osw_sched *s, struct worker *w)
{
    if (w->suspect)
        return;
    w->suspect = true;
    s->n_trusted--;
    osw_sched_node_loses(s, w);
    osw_sched_count(s, w);
}

bool osw_sched_worker_sound(osw_sched_t *sched, uint32_t worker)
{
    struct worker *w = &sched->workers[worker];

    if (!w->live || !w->suspect)
        return false;
    trust(sched, worker, w->node);
    return true;
}

bool osw_sched_has_doubted(const osw_sched_t *sched)
{
    return sched->n_trusted < sched->n_live;
}

/* One more kill from outside does not count as a failure of this bundle. */
static bool pardon(const osw_sched_t *s, struct bundle *b)
{
    if (b->pardons >= s->config.max_pardons)
        return false;
    if (++b->pardons > 1)
        b->suspect = true;
    return true;
}

/* A worker was lost at this bundle: does that count as a failure?  Then its
 * cells are tried one by one from now on, after all else.
 */
static bool is_failure(const osw_sched_t *s, struct bundle *b, bool killed)
{
    if (killed && pardon(s, b))
        return false;
    b->suspect |= b->gang == NONE || b->failures > 0;
    return true;
}

/* What a worker was at: bundles before it may have the results that they were
 * handed out for, and only not have been told that they are done; those that it
 * judges together come one by one.
 */
static uint32_t find_at_work(const osw_sched_t *s, const struct worker *w)
{
    uint32_t b = w->hand.head;

    for (uint32_t i = 0; i < w->n; i++, b = s->next[b])
        if (s->bundles[b].n_open > 0 &&
            osw_sched_lacks_result(s, &s->bundles[b]))
            return b;
    return NONE;
}

static void lose(osw_sched_t *s, struct worker *w, bool killed)
{
    uint32_t b, at_work = find_at_work(s, w);

    if (!w->live)
        return;
    osw_sched_distrust(s, w);
    w->live = false;
    s->n_live--;
    osw_sched_join_op(s, w, NONE);
    if (w->gang != NONE) {
        struct bundle *ours = &s->bundles[s->gangs[w->gang].bundle];

        osw_sched_break_gang(s, w->gang,
                             osw_sched_lacks_result(s, ours) &&
                                 is_failure(s, ours, killed));
    }
    if (w->twin != NONE) {
        struct bundle *copied = &s->bundles[w->twin];

        copied->failures +=
            osw_sched_lacks_result(s, copied) && is_failure(s, copied, killed);
        osw_sched_drop_twin(s, copied);
    }
    for (; (b = osw_chain_take(&w->hand, s->next)) != NONE; w->n = 0)
        osw_sched_requeue(
            s, b, b == at_work && is_failure(s, &s->bundles[b], killed));
    w->cost_ns = 0;
    osw_sched_count(s, w);
}

void osw_sched_worker_lost(osw_sched_t *sched, uint32_t worker)
{
    lose(sched, &sched->workers[worker], false);
}

void osw_sched_worker_killed(osw_sched_t *sched, uint32_t worker)
{
    lose(sched, &sched->workers[worker], true);
}

/* mpi_runner/sched/sched.c - which worker does which bundle next */
#include "mpi_runner/sched/sched.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/sched/sched_parts.h"

enum { MAX_LOOKED_AT = 64 }; /* bundles under suspicion, at a time */

/* --- making one --- */

static int allocate(osw_sched_t *s, uint64_t n_cells)
{
    const struct osw_sched_config *c = &s->config;
    size_t n = (size_t)s->n_bundles + 1;

    s->bundles = calloc(n, sizeof(*s->bundles));
    s->next = calloc(n, sizeof(*s->next));
    s->order = calloc(n, sizeof(*s->order));
    s->ops = calloc(n, sizeof(*s->ops));
    s->workers = calloc(c->n_workers, sizeof(*s->workers));
    s->cells = calloc(n_cells + 1, sizeof(*s->cells));
    if (!s->bundles || !s->next || !s->order || !s->ops || !s->workers ||
        !s->cells)
        return -1;
    for (uint32_t w = 0; w < c->n_workers; w++) {
        s->workers[w].op = s->workers[w].twin = NONE;
        s->workers[w].gang = s->workers[w].node = NONE;
        s->workers[w].hand = (struct osw_chain)OSW_CHAIN_INIT;
    }
    return 0;
}

static int fill(osw_sched_t *s, const struct osw_sched_item *items)
{
    for (uint32_t i = 0; i < s->n_bundles; i++) {
        struct bundle *b = &s->bundles[i];

        b->n_cells = b->n_open = items[i].n_cells;
        b->cost_ns = items[i].cost_ns < 1 ? 1 : items[i].cost_ns;
        b->bytes = items[i].bytes;
        b->worker = b->only = b->twin = b->gang = b->op = NONE;
        b->unsound = NONE;
        b->first = s->n_open;
        s->n_open += b->n_cells;
        if (items[i].world <= 1)
            s->queued_ns += b->cost_ns;
    }
    if (osw_sched_group_by_op(s, items) < 0 ||
        osw_sched_fill_gangs(s, items) < 0)
        return -1;
    s->total_ns = (double)s->queued_ns + s->gang_ns;
    s->by_head = osw_heap_create(s->n_ops);
    s->by_share = osw_heap_create(s->n_ops);
    if (!s->by_head || !s->by_share)
        return -1;
    for (uint32_t o = 0; o < s->n_ops; o++)
        osw_sched_rank_op(s, o);
    return 0;
}

osw_sched_t *osw_sched_create(const struct osw_sched_item *items, size_t n,
                              const struct osw_sched_config *config,
                              struct osw_error *err)
{
    osw_sched_t *s = NULL;
    uint64_t n_cells = 0;

    assert(config->n_workers && config->max_attempts && config->max_ahead);
    assert(config->max_attempts < SETTLED);
    if (n >= NONE) {
        osw_fail(err, OSW_BAD_INPUT, "%zu bundles, at most %u", n, NONE - 1);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (items[i].n_cells == 0) {
            osw_fail(err, OSW_BAD_INPUT, "bundle %zu has no cells", i);
            return NULL;
        }
        if (items[i].world > OSW_GANG_MAX) {
            osw_fail(err, OSW_BAD_INPUT,
                     "bundle %zu has a world of %u, at most %d", i,
                     items[i].world, OSW_GANG_MAX);
            return NULL;
        }
        n_cells += items[i].n_cells;
    }
    s = calloc(1, sizeof(*s));
    if (s) {
        s->config = *config;
        s->n_bundles = (uint32_t)n;
        s->retry = s->given_up = (struct osw_chain)OSW_CHAIN_INIT;
        s->suspects = s->alone = (struct osw_chain)OSW_CHAIN_INIT;
    }
    if (!s || allocate(s, n_cells) < 0 || fill(s, items) < 0) {
        osw_fail(err, OSW_NO_MEMORY, "no memory to schedule %zu bundles", n);
        osw_sched_destroy(s);
        return NULL;
    }
    return s;
}

void osw_sched_destroy(osw_sched_t *sched)
{
    if (!sched)
        return;
    osw_heap_destroy(sched->by_head);
    osw_heap_destroy(sched->by_share);
    free(sched->bundles);
    free(sched->next);
    free(sched->order);
    free(sched->ops);
    free(sched->workers);
    free(sched->gangs);
    free(sched->nodes);
    free(sched->cells);
    free(sched);
}

/* --- choosing --- */

void osw_sched_count(osw_sched_t *s, struct worker *w)
{
    s->n_idle -= w->is_idle;
    s->n_with_two -= w->has_two;
    w->is_idle = w->live && !w->suspect && w->n == 0 && w->twin == NONE &&
                 w->gang == NONE;
    w->has_two = w->n > 1;
    s->n_idle += w->is_idle;
    s->n_with_two += w->has_two;
}

double osw_sched_open_ns(const struct bundle *b)
{
    return (double)b->cost_ns / b->n_cells * b->n_open;
}

double osw_sched_fair_share_ns(const osw_sched_t *s)
{
    uint32_t n = s->n_trusted ? s->n_trusted : s->n_live;

    return ((double)s->queued_ns + s->gang_ns) / (n ? n : 1);
}

static struct osw_chain *list_of_suspect(osw_sched_t *s, const struct bundle *b)
{
    return b->alone ? &s->alone : &s->suspects;
}

/* A bundle under suspicion, or NONE: this worker has something, or those that
 * are left go alone and another worker has something.
 */
static uint32_t take_suspect(osw_sched_t *s, const struct worker *w)
{
    uint32_t b = w->n ? NONE : osw_chain_take(&s->suspects, s->next);

    return b != NONE || s->n_out ? b : osw_chain_take(&s->alone, s->next);
}

/* One under suspicion that would delay the end of the campaign if it came last,
 * or NONE.
 */
static uint32_t find_long_suspect(const osw_sched_t *s)
{
    double share_ns = osw_sched_fair_share_ns(s);
    uint32_t b = s->suspects.head;

    for (int i = 0; i < MAX_LOOKED_AT && b != NONE; i++, b = s->next[b])
        if (osw_sched_open_ns(&s->bundles[b]) >= share_ns)
            return b;
    return NONE;
}

/* What came back, unless this worker's device failed at it and another worker
 * is trusted; or NONE.
 */
static uint32_t take_retry(osw_sched_t *s, const struct worker *w)
{
    uint32_t b = s->retry.head;

    if (b != NONE && s->bundles[b].unsound == (uint32_t)(w - s->workers) &&
        s->n_trusted > 1)
        return NONE;
    return osw_chain_take(&s->retry, s->next);
}

/* Take the next bundle with open cells off its queue, or NONE. */
static uint32_t take(osw_sched_t *s, struct worker *w)
{
    while (!s->alone_out) {
        uint32_t b = find_long_suspect(s), o = NONE;

        if (b != NONE && w->n > 0)
            return NONE; /* once it has nothing, it gets that */
        if (b != NONE)
            osw_chain_drop(&s->suspects, s->next, b);
        else if ((b = take_retry(s, w)) == NONE)
            o = osw_sched_choose_op(s, w);
        if (o != NONE) {
            b = osw_sched_take_from_op(s, w, o);
            if (s->bundles[b].suspect) {
                osw_chain_add(list_of_suspect(s, &s->bundles[b]), s->next, b);
                continue;
            }
        }
        if (b == NONE)
            b = take_suspect(s, w);
        if (b == NONE)
            return NONE;
        s->queued_ns -= s->bundles[b].cost_ns;
        if (s->bundles[b].n_open)
            return b;
        s->bundles[b].state = IDLE;
    }
    return NONE;
}

static bool wants_more(const osw_sched_t *s, const struct worker *w)
{
    double ahead_ns = (double)s->config.ahead_ns;

    if (!w->live || w->late || w->twin != NONE || w->gang != NONE ||
        (w->suspect && s->n_trusted) || w->n == s->config.max_ahead)
        return false;
    if (w->n == 0)
        return true;
    if (s->bundles[w->hand.head].suspect)
        return false;
    if (osw_sched_fair_share_ns(s) < ahead_ns)
        ahead_ns = osw_sched_fair_share_ns(s);
    return (double)w->cost_ns < ahead_ns;
}

uint32_t osw_sched_next_cell(const osw_sched_t *s, const struct bundle *b)
{
    uint32_t k = b->only == NONE ? 0 : b->only + 1;

    for (uint32_t i = 0; i < b->n_cells; i++, k++)
        if (s->cells[b->first + k % b->n_cells] != SETTLED)
            break;
    return k % b->n_cells;
}

bool osw_sched_next(osw_sched_t *sched, uint32_t worker,
                    struct osw_sched_task *task)
{
    struct worker *w = &sched->workers[worker];
    struct bundle *b;
    uint32_t i;

    if (!wants_more(sched, w))
        return false;
    i = take(sched, w);
    if (i == NONE)
        return false;
    b = &sched->bundles[i];
    b->state = FLYING;
    b->worker = worker;
    b->current = ++b->attempt;
    if (b->suspect) {
        b->only = osw_sched_next_cell(sched, b);
        sched->alone_out = b->alone;
    }
    sched->n_out++;
    osw_sched_join_op(sched, w, b->op);
    osw_chain_add(&w->hand, sched->next, i);
    w->n++;
    w->cost_ns += b->cost_ns;
    osw_sched_count(sched, w);
    *task = (struct osw_sched_task){i, b->attempt};
    return true;
}

/* --- what comes back --- */

/* Its turn comes again. */
static void queue_again(osw_sched_t *s, uint32_t i)
{
    struct bundle *b = &s->bundles[i];

    if (b->gang != NONE) {
        osw_sched_queue_gang(s, i);
        return;
    }
    b->state = QUEUED;
    s->queued_ns += b->cost_ns;
    osw_chain_add(b->suspect ? list_of_suspect(s, b) : &s->retry, s->next, i);
}

/* The cell that was handed out by itself and has no result; or NULL. */
static uint8_t *cell_at_work(const osw_sched_t *s, const struct bundle *b)
{
    uint8_t *cell = b->only == NONE ? NULL : &s->cells[b->first + b->only];

    return cell && *cell != SETTLED ? cell : NULL;
}

/* Failed attempts at what was handed out last. */
static uint32_t n_failures(const osw_sched_t *s, const struct bundle *b)
{
    const uint8_t *cell = cell_at_work(s, b);

    return b->failures + (cell ? *cell : 0);
}

static void count_failure(osw_sched_t *s, struct bundle *b)
{
    uint8_t *cell = cell_at_work(s, b);

    if (!cell)
        b->failures++;
    else if (*cell < SETTLED - 1)
        ++*cell;
}

void osw_sched_requeue(osw_sched_t *s, uint32_t i, bool failed)
{
    struct bundle *b = &s->bundles[i];

    b->worker = NONE;
    if (failed)
        count_failure(s, b);
    s->n_out--;
    if (b->alone)
        s->alone_out = false;
    if (b->twin != NONE) {
        osw_sched_hand_over(s, i);
    } else if (b->n_open == 0) {
        b->state = IDLE;
    } else if (n_failures(s, b) >= s->config.max_attempts) {
        b->state = GIVEN_UP;
        osw_chain_add(&s->given_up, s->next, i);
    } else {
        queue_again(s, i);
    }
}

enum copy { NO_COPY, OWN_COPY, TWIN_COPY };

/* Which copy of a bundle is a task, if the worker has it now? */
static enum copy which(const osw_sched_t *s, uint32_t worker,
                       struct osw_sched_task task)
{
    const struct bundle *b;

    if (task.bundle >= s->n_bundles || worker >= s->config.n_workers)
        return NO_COPY;
    b = &s->bundles[task.bundle];
    if (b->gang != NONE)
        return b->state == FLYING && s->workers[worker].gang == b->gang &&
                       !s->workers[worker].ended && b->current == task.attempt
                   ? OWN_COPY
                   : NO_COPY;
    if (b->state == FLYING && b->worker == worker && b->current == task.attempt)
        return OWN_COPY;
    return b->twin == worker && b->twin_attempt == task.attempt ? TWIN_COPY
                                                                : NO_COPY;
}

enum osw_sched_verdict osw_sched_result(osw_sched_t *sched, uint32_t worker,
                                        struct osw_sched_task task, uint32_t k,
                                        bool infra)
{
    struct bundle *b;

    if (which(sched, worker, task) == NO_COPY)
        return OSW_SCHED_STALE;
    b = &sched->bundles[task.bundle];
    if (k >= b->n_cells || (b->gang != NONE && b->worker != worker))
        return OSW_SCHED_STALE;
    if (sched->cells[b->first + k] == SETTLED)
        return b->had_twin ? OSW_SCHED_OVERTAKEN : OSW_SCHED_DUPLICATE;
    if (infra) {
        b->unsound = b->gang == NONE ? worker : NONE;
        if (b->gang == NONE) /* else it is not known which member's it was */
            osw_sched_distrust(sched, &sched->workers[worker]);
        if (n_failures(sched, b) + 1 < sched->config.max_attempts ||
            b->twin != NONE)
            return OSW_SCHED_RETRY;
    }
    osw_sched_settle(sched, task.bundle, k);
    return OSW_SCHED_FRESH;
}

/* Take a task out of a worker's hand. */
static void release(osw_sched_t *s, struct worker *w, uint32_t bundle)
{
    osw_chain_drop(&w->hand, s->next, bundle);
    w->n--;
    w->cost_ns -= s->bundles[bundle].cost_ns;
    osw_sched_count(s, w);
}

bool osw_sched_lacks_result(const osw_sched_t *s, const struct bundle *b)
{
    return b->only == NONE || cell_at_work(s, b);
}

void osw_sched_finished(osw_sched_t *sched, uint32_t worker,
                        struct osw_sched_task task)
{
    enum copy copy = which(sched, worker, task);
    const struct bundle *b;

    if (copy == TWIN_COPY)
        osw_sched_drop_twin(sched, &sched->bundles[task.bundle]);
    if (copy != OWN_COPY)
        return;
    b = &sched->bundles[task.bundle];
    if (b->gang != NONE) {
        osw_sched_end_member(sched, &sched->workers[worker]);
        return;
    }
    release(sched, &sched->workers[worker], task.bundle);
    sched->workers[worker].late = false;
    osw_sched_requeue(sched, task.bundle, osw_sched_lacks_result(sched, b));
}

void osw_sched_returned(osw_sched_t *sched, uint32_t worker,
                        struct osw_sched_task task)
{
    struct worker *w = &sched->workers[worker];
    enum copy copy = which(sched, worker, task);

    if (copy == TWIN_COPY)
        osw_sched_drop_twin(sched, &sched->bundles[task.bundle]);
    if (copy != OWN_COPY)
        return;
    if (w->gang != NONE && sched->gangs[w->gang].bundle == task.bundle) {
        osw_sched_break_gang(sched, w->gang, false);
        return;
    }
    release(sched, w, task.bundle);
    w->late = w->n > 0;
    osw_sched_requeue(sched, task.bundle, false);
}

void osw_sched_settle(osw_sched_t *sched, uint32_t bundle, uint32_t k)
{
    struct bundle *b = &sched->bundles[bundle];

    if (sched->cells[b->first + k] == SETTLED)
        return;
    sched->cells[b->first + k] = SETTLED;
    sched->settled_ns +=
        (double)b->cost_ns / b->n_cells * osw_sched_world(sched, b);
    sched->n_open--;
    b->n_open--;
}

/* Are cells open beside the one that was handed out by itself? */
static bool has_other_cells(const osw_sched_t *s, const struct bundle *b)
{
    return b->only != NONE && b->n_open > (cell_at_work(s, b) ? 1U : 0U);
}

bool osw_sched_given_up(osw_sched_t *sched, uint32_t *bundle)
{
    uint32_t b;

    do
        b = osw_chain_take(&sched->given_up, sched->next);
    while (b != NONE && sched->bundles[b].n_open == 0);
    if (b == NONE)
        return false;
    if (has_other_cells(sched, &sched->bundles[b]))
        queue_again(sched, b);
    *bundle = b;
    return true;
}

void osw_sched_suspect(osw_sched_t *sched, uint32_t bundle, bool alone)
{
    sched->bundles[bundle].suspect = true;
    sched->bundles[bundle].alone = alone;
}

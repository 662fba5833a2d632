/* mpi_runner/sched/sched_gang.c - bundles that several workers judge together
 *
 * A gang is held together member by member: a worker that asks for work is held
 * for the gang that its node is to serve, and with it the others that cost
 * least to wait for.  A node has one gang at most that lacks members, and so
 * have all nodes together; so no two gangs wait for each other's workers.
 */
#include <assert.h>
#include <stdlib.h>

#include "mpi_runner/sched/sched.h"
#include "mpi_runner/sched/sched_parts.h"

/* While other bundles wait, gangs of a world and of larger ones have at most so
 * many times the share of the workers that they have of the queued cost: where
 * enough workers of a node have nothing to do; and where some must be waited
 * for. Less than twice would have gangs last as long as the campaign, and its
 * end needs bundles that fit anywhere.  Were the two alike, a node would go
 * over to other bundles and come back whenever the shares change a little.
 */
static const double most_at_once = 2, most_after_a_wait = 1;

enum { ANY_NODE = 0x7fffffff };

/* --- queues --- */

/* Its bundle is queued, or no longer. */
static void count_queued(struct osw_sched *s, const struct bundle *b, int by)
{
    struct world *q = &s->worlds[s->gangs[b->gang].world];
    double ns = by * (double)b->cost_ns * s->gangs[b->gang].world;

    s->n_gangs_queued += (uint32_t)by;
    s->gang_ns += ns;
    q->queued_ns += ns;
    if (s->n_gangs_queued == 0) /* what was rounded */
        s->gang_ns = q->queued_ns = 0;
}

/* It is in order[at]; those of one world follow each other. */
static void add_gang(struct osw_sched *s, const struct osw_sched_key *key,
                     uint32_t at)
{
    struct bundle *b = &s->bundles[key->bundle];
    uint32_t world = OSW_GANG_MAX - key->group;
    struct world *q = &s->worlds[world];

    b->gang = s->n_gangs++;
    s->gangs[b->gang] =
        (struct gang){.bundle = key->bundle, .world = world, .members = NONE};
    s->order[at] = key->bundle;
    if (q->head == q->end)
        q->head = at;
    q->end = at + 1;
    count_queued(s, b, 1);
}

/* A gang that stays on its op goes on in the processes that it has. */
static void sort_by_op(struct osw_sched_key *keys, uint32_t n)
{
    qsort(keys, n, sizeof(*keys), osw_sched_compare_keys);
    for (uint32_t i = 0; i < n; i++)
        keys[i].lead_ns = i > 0 && keys[i].group == keys[i - 1].group &&
                                  keys[i].op == keys[i - 1].op
                              ? keys[i - 1].lead_ns
                              : keys[i].cost_ns;
    qsort(keys, n, sizeof(*keys), osw_sched_compare_keys);
}

int osw_sched_fill_gangs(struct osw_sched *s,
                         const struct osw_sched_item *items)
{
    uint32_t n = 0, n_workers = s->config.n_workers;
    struct osw_sched_key *keys;

    for (uint32_t i = 0; i < s->n_bundles; i++)
        n += items[i].world > 1;
    keys = calloc(n + (size_t)1, sizeof(*keys));
    s->gangs = calloc(n + (size_t)1, sizeof(*s->gangs));
    s->nodes = calloc(n_workers, sizeof(*s->nodes));
    if (!keys || !s->gangs || !s->nodes) {
        free(keys);
        return -1;
    }
    for (uint32_t i = 0; i < n_workers; i++)
        s->nodes[i].workers = s->nodes[i].lacks = NONE;
    for (int i = 0; i <= OSW_GANG_MAX; i++)
        s->worlds[i].retry = (struct osw_chain)OSW_CHAIN_INIT;
    s->gang_suspects = s->gang_alone = (struct osw_chain)OSW_CHAIN_INIT;
    s->lacks = NONE;
    n = 0;
    for (uint32_t i = 0; i < s->n_bundles; i++)
        if (items[i].world > 1)
            keys[n++] =
                (struct osw_sched_key){.group = OSW_GANG_MAX - items[i].world,
                                       .op = items[i].op,
                                       .bundle = i,
                                       .cost_ns = s->bundles[i].cost_ns};
    sort_by_op(keys, n);
    for (uint32_t i = 0; i < n; i++)
        add_gang(s, &keys[i], s->n_bundles - n + i);
    free(keys);
    return 0;
}

static struct osw_chain *list_of_suspect(struct osw_sched *s,
                                         const struct bundle *b)
{
    return b->alone ? &s->gang_alone : &s->gang_suspects;
}

void osw_sched_queue_gang(struct osw_sched *s, uint32_t bundle)
{
    struct bundle *b = &s->bundles[bundle];
    struct osw_chain *list = b->suspect
                                 ? list_of_suspect(s, b)
                                 : &s->worlds[s->gangs[b->gang].world].retry;

    b->state = QUEUED;
    osw_chain_add(list, s->next, bundle);
    count_queued(s, b, 1);
}

static uint32_t first_of(const struct world *q, const uint32_t *order)
{
    if (q->retry.head != NONE)
        return q->retry.head;
    return q->head < q->end ? order[q->head] : NONE;
}

static void drop_first(struct osw_sched *s, struct world *q)
{
    if (osw_chain_take(&q->retry, s->next) == NONE)
        q->head++;
}

/* The next bundle of a world that is open and under no suspicion, or NONE. */
static uint32_t peek(struct osw_sched *s, uint32_t world)
{
    struct world *q = &s->worlds[world];
    uint32_t i;

    while ((i = first_of(q, s->order)) != NONE) {
        struct bundle *b = &s->bundles[i];

        if (b->n_open > 0 && !b->suspect)
            break;
        drop_first(s, q);
        if (b->n_open > 0) {
            osw_chain_add(list_of_suspect(s, b), s->next, i);
        } else {
            b->state = IDLE;
            count_queued(s, b, -1);
        }
    }
    return i;
}

static uint32_t peek_suspect(struct osw_sched *s, struct osw_chain *list)
{
    while (list->head != NONE && s->bundles[list->head].n_open == 0) {
        struct bundle *b = &s->bundles[osw_chain_take(list, s->next)];

        b->state = IDLE;
        count_queued(s, b, -1);
    }
    return list->head;
}

/* Take what peek() or peek_suspect() found off its queue. */
static void take(struct osw_sched *s, uint32_t bundle)
{
    struct bundle *b = &s->bundles[bundle];

    if (b->suspect)
        osw_chain_take(list_of_suspect(s, b), s->next);
    else
        drop_first(s, &s->worlds[s->gangs[b->gang].world]);
    count_queued(s, b, -1);
}

/* --- nodes --- */

void osw_sched_node_gains(struct osw_sched *s, uint32_t worker, uint32_t node)
{
    struct worker *w = &s->workers[worker];

    assert(node < s->config.n_workers);
    if (w->node == NONE) {
        w->node = node;
        w->next_on_node = s->nodes[node].workers;
        s->nodes[node].workers = worker;
    }
    s->nodes[w->node].n_trusted++;
    s->most_on_node = UINT32_MAX;
}

static uint32_t most_on_node(struct osw_sched *s)
{
    if (s->most_on_node == UINT32_MAX) {
        s->most_on_node = 0;
        for (uint32_t i = 0; i < s->config.n_workers; i++)
            if (s->nodes[i].n_trusted > s->most_on_node)
                s->most_on_node = s->nodes[i].n_trusted;
    }
    return s->most_on_node;
}

/* On which nodes a worker may be one of so many: its own, ANY_NODE, or NONE.
 */
static uint32_t place_of(struct osw_sched *s, const struct worker *w,
                         uint32_t world)
{
    if (world <= s->nodes[w->node].n_trusted)
        return w->node;
    if (!s->config.across_nodes || world > s->n_trusted ||
        world <= most_on_node(s))
        return NONE;
    return ANY_NODE;
}

/* --- members --- */

static bool is_free(const struct worker *w)
{
    return w->live && !w->suspect && w->gang == NONE;
}

static void hold(struct osw_sched *s, uint32_t g, uint32_t worker)
{
    struct worker *w = &s->workers[worker];

    w->gang = g;
    w->ended = false;
    w->next_member = s->gangs[g].members;
    s->gangs[g].members = worker;
    s->gangs[g].n_members++;
    s->n_in_gangs++;
    s->worlds[s->gangs[g].world].n_workers++;
    osw_sched_count(s, w);
}

static void disband(struct osw_sched *s, uint32_t g)
{
    struct gang *gang = &s->gangs[g];

    for (uint32_t i = gang->members; i != NONE;) {
        struct worker *w = &s->workers[i];

        i = w->next_member;
        w->gang = NONE;
        osw_sched_count(s, w);
    }
    s->n_in_gangs -= gang->n_members;
    s->worlds[gang->world].n_workers -= gang->n_members;
    gang->members = NONE;
    gang->n_members = gang->n_ended = 0;
    gang->out = false;
}

/* Members are no longer held: the gang waits for its turn again. */
static void let_go(struct osw_sched *s, uint32_t g)
{
    if (s->lacks == g)
        s->lacks = NONE;
    for (uint32_t i = s->gangs[g].members; i != NONE;
         i = s->workers[i].next_member)
        if (s->nodes[s->workers[i].node].lacks == g)
            s->nodes[s->workers[i].node].lacks = NONE;
    disband(s, g);
    osw_sched_queue_gang(s, s->gangs[g].bundle);
}

void osw_sched_node_loses(struct osw_sched *s, struct worker *w)
{
    struct node *n = &s->nodes[w->node];

    n->n_trusted--;
    s->most_on_node = UINT32_MAX;
    if (w->gang != NONE && !s->gangs[w->gang].out)
        let_go(s, w->gang);
    if (n->lacks != NONE && s->gangs[n->lacks].world > n->n_trusted)
        let_go(s, n->lacks);
    if (s->lacks != NONE && s->gangs[s->lacks].world > s->n_trusted)
        let_go(s, s->lacks);
}

static bool is_complete(const struct osw_sched *s, const struct gang *gang)
{
    if (gang->n_members < gang->world)
        return false;
    for (uint32_t i = gang->members; i != NONE; i = s->workers[i].next_member)
        if (s->workers[i].n > 0 || s->workers[i].twin != NONE)
            return false;
    return true;
}

/* --- choosing --- */

/* Workers of a node that a gang could have at once. */
static uint32_t count_idle(const struct osw_sched *s, uint32_t node)
{
    uint32_t n = 0;

    for (uint32_t i = s->nodes[node].workers; i != NONE;
         i = s->workers[i].next_on_node)
        n += s->workers[i].is_idle;
    return n;
}

/* May one more gang of a world take its workers from other bundles?  It and
 * larger ones have n_workers now, and queued_ns wait.
 */
static bool is_due(const struct osw_sched *s, const struct bundle *b,
                   uint32_t world, uint32_t n_workers, double queued_ns,
                   bool at_once)
{
    double all_ns = s->gang_ns + (double)s->queued_ns;

    return n_workers == 0 || !osw_sched_has_single(s) ||
           (double)b->cost_ns >= osw_sched_fair_share_ns(s) ||
           (double)(n_workers + world) <=
               (at_once ? most_at_once : most_after_a_wait) * queued_ns /
                   all_ns * s->n_trusted;
}

/* The gang that this worker's node should serve: the largest world, or one that
 * takes as long as every worker's share of what is left; NONE: there is none.
 */
static uint32_t choose(struct osw_sched *s, const struct worker *w)
{
    double share_ns = osw_sched_fair_share_ns(s), queued_ns = 0;
    uint32_t best = NONE, n_workers = 0, n_idle = count_idle(s, w->node);

    for (uint32_t world = OSW_GANG_MAX; world > 1; world--) {
        uint32_t i = peek(s, world);

        queued_ns += s->worlds[world].queued_ns;
        n_workers += s->worlds[world].n_workers;
        if (i == NONE || place_of(s, w, world) == NONE ||
            !is_due(s, &s->bundles[i], world, n_workers, queued_ns,
                    n_idle >= world))
            continue;
        if (best == NONE || ((double)s->bundles[i].cost_ns >= share_ns &&
                             s->bundles[i].cost_ns > s->bundles[best].cost_ns))
            best = i;
    }
    return best;
}

static uint32_t if_it_has_a_place(struct osw_sched *s, const struct worker *w,
                                  uint32_t b)
{
    return b == NONE ||
                   place_of(s, w, osw_sched_world(s, &s->bundles[b])) == NONE
               ? NONE
               : b;
}

/* One under suspicion that would delay the end if it came last. */
static uint32_t choose_long_suspect(struct osw_sched *s, const struct worker *w)
{
    uint32_t b = peek_suspect(s, &s->gang_suspects);

    return b == NONE || osw_sched_open_ns(&s->bundles[b]) <
                            osw_sched_fair_share_ns(s)
               ? NONE
               : if_it_has_a_place(s, w, b);
}

/* Those under suspicion come when nothing else is queued; those that go alone,
 * while no worker has anything.
 */
static uint32_t choose_suspect(struct osw_sched *s, const struct worker *w)
{
    uint32_t b = peek_suspect(s, &s->gang_suspects);

    if (osw_sched_has_single(s))
        return NONE;
    if (b == NONE && s->n_out == 0 && s->n_in_gangs == 0)
        b = peek_suspect(s, &s->gang_alone);
    return if_it_has_a_place(s, w, b);
}

/* The free worker that costs least to wait for, or NONE. */
static uint32_t cheapest(const struct osw_sched *s, uint32_t node)
{
    uint32_t best = NONE;

    if (node != ANY_NODE) {
        for (uint32_t i = s->nodes[node].workers; i != NONE;
             i = s->workers[i].next_on_node)
            if (is_free(&s->workers[i]) &&
                (best == NONE ||
                 s->workers[i].cost_ns < s->workers[best].cost_ns))
                best = i;
        return best;
    }
    for (uint32_t i = 0; i < s->config.n_workers; i++)
        if (is_free(&s->workers[i]) &&
            (best == NONE || s->workers[i].cost_ns < s->workers[best].cost_ns))
            best = i;
    return best;
}

/* Hold workers for a bundle; it may lack some that are with other gangs. */
static uint32_t open_gang(struct osw_sched *s, uint32_t bundle, uint32_t node)
{
    uint32_t g = s->bundles[bundle].gang, i;
    struct gang *gang = &s->gangs[g];

    take(s, bundle);
    while (gang->n_members < gang->world && (i = cheapest(s, node)) != NONE)
        hold(s, g, i);
    if (gang->n_members == gang->world)
        return g;
    if (node == ANY_NODE)
        s->lacks = g;
    else
        s->nodes[node].lacks = g;
    return g;
}

/* A gang across nodes needs workers that are held for those that lack others.
 */
static void make_way(struct osw_sched *s)
{
    for (uint32_t i = 0; i < s->config.n_workers; i++)
        if (s->nodes[i].lacks != NONE)
            let_go(s, s->nodes[i].lacks);
}

/* The gang that a free worker is held for, or helps; NONE: none. */
static uint32_t join(struct osw_sched *s, uint32_t worker)
{
    struct worker *w = &s->workers[worker];
    uint32_t *lacks = s->lacks != NONE ? &s->lacks : &s->nodes[w->node].lacks;
    uint32_t g = *lacks, b, node;

    if (g != NONE) {
        hold(s, g, worker);
        if (s->gangs[g].n_members == s->gangs[g].world)
            *lacks = NONE;
        return g;
    }
    b = choose_long_suspect(s, w);
    if (b == NONE)
        b = choose(s, w);
    if (b == NONE)
        b = choose_suspect(s, w);
    if (b == NONE)
        return NONE;
    node = place_of(s, w, osw_sched_world(s, &s->bundles[b]));
    if (node == ANY_NODE)
        make_way(s);
    g = open_gang(s, b, node);
    if (s->bundles[b].alone && !is_complete(s, &s->gangs[g])) {
        let_go(s, g);
        return NONE;
    }
    return g;
}

/* --- out and back --- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void list_members(const struct osw_sched *s, uint32_t g,
                         struct osw_sched_gang *out)
{
    const struct gang *gang = &s->gangs[g];

    *out = (struct osw_sched_gang){
        {gang->bundle, s->bundles[gang->bundle].current}, .one_node = true};
    for (uint32_t i = gang->members; i != NONE; i = s->workers[i].next_member) {
        out->one_node &= s->workers[i].node == s->workers[gang->members].node;
        out->workers[out->n++] = i;
    }
    qsort(out->workers, out->n, sizeof(out->workers[0]), by_number);
}

static void send_out(struct osw_sched *s, uint32_t g,
                     struct osw_sched_gang *out)
{
    struct gang *gang = &s->gangs[g];
    struct bundle *b = &s->bundles[gang->bundle];

    gang->out = true;
    b->state = FLYING;
    b->current = ++b->attempt;
    if (b->suspect) {
        b->only = osw_sched_next_cell(s, b);
        s->alone_out = b->alone;
    }
    s->n_out++;
    list_members(s, g, out);
    b->worker = out->workers[0];
}

bool osw_sched_next_gang(osw_sched_t *sched, uint32_t worker,
                         struct osw_sched_gang *gang)
{
    struct worker *w = &sched->workers[worker];
    uint32_t g = w->gang;

    if (!w->live || w->suspect || sched->alone_out || sched->n_gangs == 0)
        return false;
    if (g == NONE)
        g = join(sched, worker);
    if (g == NONE || sched->gangs[g].out ||
        !is_complete(sched, &sched->gangs[g]))
        return false;
    send_out(sched, g, gang);
    return true;
}

bool osw_sched_gang_of(const osw_sched_t *sched, uint32_t worker,
                       struct osw_sched_gang *gang)
{
    uint32_t g = sched->workers[worker].gang;

    if (g == NONE || !sched->gangs[g].out)
        return false;
    list_members(sched, g, gang);
    return true;
}

void osw_sched_break_gang(struct osw_sched *s, uint32_t g, bool failed)
{
    disband(s, g);
    osw_sched_requeue(s, s->gangs[g].bundle, failed);
}

void osw_sched_end_member(struct osw_sched *s, struct worker *w)
{
    struct gang *gang = &s->gangs[w->gang];
    const struct bundle *b = &s->bundles[gang->bundle];

    w->ended = true;
    if (++gang->n_ended == gang->world)
        osw_sched_break_gang(s, w->gang, osw_sched_lacks_result(s, b));
}

void osw_sched_gang_failed(osw_sched_t *sched, struct osw_sched_task task)
{
    const struct bundle *b;

    if (task.bundle >= sched->n_bundles)
        return;
    b = &sched->bundles[task.bundle];
    if (b->gang != NONE && sched->gangs[b->gang].out &&
        b->current == task.attempt)
        osw_sched_break_gang(sched, b->gang, osw_sched_lacks_result(sched, b));
}

/* One of a world larger than there are workers, or NONE. */
static uint32_t find_unmet(struct osw_sched *s, uint32_t have)
{
    struct osw_chain *const lists[] = {&s->gang_suspects, &s->gang_alone};

    for (uint32_t world = OSW_GANG_MAX; world > have && world > 1; world--) {
        uint32_t b = peek(s, world);

        if (b != NONE)
            return b;
    }
    for (int i = 0; i < 2; i++) {
        uint32_t b = peek_suspect(s, lists[i]);

        if (b != NONE && osw_sched_world(s, &s->bundles[b]) > have)
            return b;
    }
    return NONE;
}

bool osw_sched_unmet(osw_sched_t *sched, uint32_t *bundle, uint32_t *have)
{
    uint32_t b;

    if (sched->n_gangs_queued == 0)
        return false;
    *have = sched->config.across_nodes ? sched->n_trusted : most_on_node(sched);
    b = find_unmet(sched, *have);
    if (b == NONE)
        return false;
    take(sched, b);
    sched->bundles[b].state = IDLE;
    *bundle = b;
    return true;
}

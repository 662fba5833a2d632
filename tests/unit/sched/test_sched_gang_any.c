/* test_sched_gang_any.c - any history of gangs, against a model that only
 * counts
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_runner/sched/sched.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { N_BUNDLES = 200, N_WORKERS = 20, ON_NODE = 5, MAX_CELLS = 3, SEEN = 32 };

struct model {
    struct osw_sched_item items[N_BUNDLES];
    int settled[N_BUNDLES][MAX_CELLS];
    uint32_t attempt[N_BUNDLES]; /* latest handed out */
    bool out[N_BUNDLES];
    struct osw_sched_gang at[N_BUNDLES]; /* who has it, if it is out */
    bool ended[N_BUNDLES][OSW_GANG_MAX]; /* of these */
    bool live[N_WORKERS];
    struct osw_sched_task seen[N_WORKERS][SEEN]; /* recent ones */
    uint32_t n_seen[N_WORKERS];
    uint64_t n_settled, n_cells;
    bool across;
};

static uint32_t roll(uint32_t n)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 33) % n;
}

static void note_out(osw_sched_t *s, struct model *m,
                     const struct osw_sched_gang *g)
{
    uint32_t b = g->task.bundle;

    assert_false(m->out[b]);
    assert_int_equal(g->task.attempt, m->attempt[b] + 1);
    m->attempt[b] = g->task.attempt;
    m->out[b] = true;
    m->at[b] = *g;
    memset(m->ended[b], 0, sizeof(m->ended[b]));
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t w = g->workers[i];

        assert_true(m->live[w]);
        assert_true(i == 0 || w > g->workers[i - 1]);
        assert_true(osw_sched_n_flying(s, w) == 1 || g->n == 1);
        assert_true(!g->one_node || w / ON_NODE == g->workers[0] / ON_NODE);
        m->seen[w][m->n_seen[w]++ % SEEN] = g->task;
    }
    assert_true(g->one_node || m->across);
    assert_int_equal(g->n, m->items[b].world ? m->items[b].world : 1);
}

static void step_ask(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_gang g;
    struct osw_sched_task t;

    while (osw_sched_next_gang(s, w, &g))
        note_out(s, m, &g);
    if (!osw_sched_next(s, w, &t))
        return;
    g = (struct osw_sched_gang){t, 1, {w}, true};
    note_out(s, m, &g);
}

/* Its place among those that have the task; -1: it has it not, or no more. */
static int place(const struct model *m, uint32_t w, struct osw_sched_task t)
{
    const struct osw_sched_gang *g = &m->at[t.bundle];

    if (!m->out[t.bundle] || g->task.attempt != t.attempt)
        return -1;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->workers[i] == w && !m->ended[t.bundle][i])
            return (int)i;
    return -1;
}

static struct osw_sched_task some_task(const struct model *m, uint32_t w)
{
    uint32_t n = m->n_seen[w] < SEEN ? m->n_seen[w] : SEEN;

    return n ? m->seen[w][roll(n)] : (struct osw_sched_task){0, 0};
}

static void step_result(osw_sched_t *s, struct model *m, uint32_t w, bool infra)
{
    struct osw_sched_task t = some_task(m, w);
    uint32_t k = roll(MAX_CELLS + 1);
    bool mine = place(m, w, t) == 0 && k < m->items[t.bundle].n_cells;
    enum osw_sched_verdict v = osw_sched_result(s, w, t, k, infra);

    assert_int_equal(v == OSW_SCHED_STALE, !mine);
    if (v == OSW_SCHED_FRESH) {
        assert_int_equal(m->settled[t.bundle][k]++, 0);
        m->n_settled++;
    } else if (v == OSW_SCHED_DUPLICATE) {
        assert_int_equal(m->settled[t.bundle][k], 1);
    } else if (v == OSW_SCHED_RETRY) {
        assert_true(infra);
    }
}

static void step_finished(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t = some_task(m, w);
    int at = place(m, w, t);
    uint32_t n_left = 0;

    osw_sched_finished(s, w, t);
    if (at < 0)
        return;
    m->ended[t.bundle][at] = true;
    for (uint32_t i = 0; i < m->at[t.bundle].n; i++)
        n_left += !m->ended[t.bundle][i];
    m->out[t.bundle] = n_left > 0;
}

static void step_returned(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t = some_task(m, w);

    osw_sched_returned(s, w, t);
    if (place(m, w, t) >= 0)
        m->out[t.bundle] = false;
}

static void step_failed(osw_sched_t *s, struct model *m, uint32_t w)
{
    struct osw_sched_task t = some_task(m, w);

    osw_sched_gang_failed(s, t);
    if (m->items[t.bundle].world > 1 &&
        m->at[t.bundle].task.attempt == t.attempt)
        m->out[t.bundle] = false;
}

static void step_lost(osw_sched_t *s, struct model *m, uint32_t w)
{
    if (roll(2))
        osw_sched_worker_lost(s, w);
    else
        osw_sched_worker_killed(s, w);
    for (uint32_t b = 0; b < N_BUNDLES && m->live[w]; b++)
        for (uint32_t i = 0; i < m->at[b].n; i++)
            if (m->at[b].workers[i] == w)
                m->out[b] = false;
    m->live[w] = false;
}

static void settle(osw_sched_t *s, struct model *m, uint32_t b, bool all)
{
    assert_false(m->out[b]);
    for (uint32_t k = 0; k < m->items[b].n_cells; k++)
        if (all ? osw_sched_is_open(s, b, k) : osw_sched_is_meant(s, b, k)) {
            osw_sched_settle(s, b, k);
            assert_int_equal(m->settled[b][k]++, 0);
            m->n_settled++;
        }
}

static void step(osw_sched_t *s, struct model *m)
{
    uint32_t w = roll(N_WORKERS), what = roll(1000), b;

    if (what < 330)
        step_ask(s, m, w);
    else if (what < 700)
        step_result(s, m, w, what < 331);
    else if (what < 975)
        step_finished(s, m, w);
    else if (what < 980)
        step_returned(s, m, w);
    else if (what < 984)
        step_failed(s, m, w);
    else if (what < 988)
        step_lost(s, m, w);
    else {
        osw_sched_worker_ready(s, w, w / ON_NODE);
        m->live[w] = true;
    }
    while (osw_sched_given_up(s, &b))
        settle(s, m, b, false);
    assert_int_equal(osw_sched_n_open(s), m->n_cells - m->n_settled);
}

/* Each worker that is left and has something ends it, in any order, and asks
 * again: then some worker has something until all is done, however the gangs
 * stand.
 */
static void finish_together(osw_sched_t *s, struct model *m)
{
    uint32_t b, have;

    for (uint32_t w = roll(2 * N_WORKERS); w < N_WORKERS; w++)
        step_lost(s, m, w);
    while (osw_sched_given_up(s, &b))
        settle(s, m, b, false);
    osw_sched_worker_ready(s, 0, 0);
    m->live[0] = true;
    for (int turn = 0; osw_sched_n_open(s) > 0; turn++) {
        assert_true(turn < 5000);
        while (osw_sched_unmet(s, &b, &have)) {
            assert_true(m->items[b].world > have);
            settle(s, m, b, true);
        }
        for (uint32_t i = 0, w = roll(N_WORKERS); i < N_WORKERS; i++) {
            w = (w + 1) % N_WORKERS;
            step_ask(s, m, w);
            if (osw_sched_n_flying(s, w) == 0)
                continue;
            b = osw_sched_current(s, w);
            if (m->at[b].workers[0] == w)
                for (uint32_t k = 0; k < m->items[b].n_cells; k++)
                    if (osw_sched_is_meant(s, b, k) &&
                        osw_sched_result(s, w, m->at[b].task, k, false) ==
                            OSW_SCHED_FRESH)
                        assert_int_equal(m->settled[b][k]++, 0);
            m->ended[b][place(m, w, m->at[b].task)] = true;
            m->out[b] = false;
            for (uint32_t k = 0; k < m->at[b].n; k++)
                m->out[b] |= !m->ended[b][k];
            osw_sched_finished(s, w, m->at[b].task);
            while (osw_sched_given_up(s, &b))
                settle(s, m, b, false);
        }
    }
}

static void every_cell_is_settled_once_whatever_happens(void **state)
{
    static const uint32_t worlds[] = {1, 1, 1, 0, 2, 2, 3, 4, 5, 6, 9};

    (void)state;
    for (int round = 0; round < 150; round++) {
        struct osw_sched_config c = {.n_workers = N_WORKERS,
                                     .max_attempts = 3,
                                     .max_ahead = 3,
                                     .ahead_ns = 500,
                                     .max_pardons = 2,
                                     .across_nodes = round % 2};
        struct model *m = calloc(1, sizeof(*m));
        osw_sched_t *s;

        assert_non_null(m);
        m->across = c.across_nodes;
        for (uint32_t b = 0; b < N_BUNDLES; b++) {
            m->items[b] = (struct osw_sched_item){roll(12), 1 + roll(MAX_CELLS),
                                                  roll(1000),
                                                  worlds[roll(N_ELEM(worlds))]};
            m->n_cells += m->items[b].n_cells;
        }
        s = osw_sched_create(m->items, N_BUNDLES, &c, NULL);
        assert_non_null(s);
        for (uint32_t b = 0; b < 4; b++)
            osw_sched_suspect(s, roll(N_BUNDLES), b % 2);
        for (int i = 0; i < 4000; i++)
            step(s, m);
        finish_together(s, m);
        for (uint32_t b = 0; b < N_BUNDLES; b++)
            for (uint32_t k = 0; k < m->items[b].n_cells; k++)
                assert_int_equal(m->settled[b][k], 1);
        assert_false(osw_sched_has_gang(s));
        assert_true(osw_sched_progress(s) == 1);
        osw_sched_destroy(s);
        free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_settled_once_whatever_happens),
    };

    return cmocka_run_group_tests_name("mpi_runner/sched_gang_any", tests, NULL,
                                       NULL);
}

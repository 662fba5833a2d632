/* tests/unit/sched/gang_fixture.h - gangs of workers, and what they do */
#ifndef OSW_TESTS_GANG_FIXTURE_H
#define OSW_TESTS_GANG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_runner/sched/sched.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_sched_config few = {
    .n_workers = 16, .max_attempts = 2, .max_ahead = 1};

/* Workers 0 to n_ready - 1, so many on a node. */
static inline osw_sched_t *make(const struct osw_sched_item *items, size_t n,
                                struct osw_sched_config c, uint32_t n_ready,
                                uint32_t on_node)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_sched_t *s = osw_sched_create(items, n, &c, &err);

    assert_non_null(s);
    for (uint32_t w = 0; w < n_ready; w++)
        osw_sched_worker_ready(s, w, w / on_node);
    return s;
}

static inline struct osw_sched_gang next_gang(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_gang g;

    assert_true(osw_sched_next_gang(s, w, &g));
    return g;
}

static inline void no_gang_for(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_gang g;

    assert_false(osw_sched_next_gang(s, w, &g));
}

static inline struct osw_sched_task next(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_task t = {UINT32_MAX, 0};

    no_gang_for(s, w);
    assert_true(osw_sched_next(s, w, &t));
    return t;
}

static inline void nothing_for(osw_sched_t *s, uint32_t w)
{
    struct osw_sched_task t;

    no_gang_for(s, w);
    assert_false(osw_sched_next(s, w, &t));
}

static inline void finish_all(osw_sched_t *s, const struct osw_sched_gang *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        osw_sched_finished(s, g->workers[i], g->task);
}

/* All cells pass, and all members end. */
static inline void complete(osw_sched_t *s, const struct osw_sched_gang *g,
                            uint32_t n_cells)
{
    for (uint32_t k = 0; k < n_cells; k++)
        assert_int_equal(osw_sched_result(s, g->workers[0], g->task, k, false),
                         OSW_SCHED_FRESH);
    finish_all(s, g);
}

static inline void complete_single(osw_sched_t *s, uint32_t w,
                                   struct osw_sched_task t)
{
    assert_int_equal(osw_sched_result(s, w, t, 0, false), OSW_SCHED_FRESH);
    osw_sched_finished(s, w, t);
}

static inline void expect_members(const struct osw_sched_gang *g,
                                  uint32_t first, uint32_t n)
{
    assert_int_equal(g->n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(g->workers[i], first + i);
}

#endif /* OSW_TESTS_GANG_FIXTURE_H */

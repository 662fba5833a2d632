/* tests/unit/gang/gang_sink.h - a sink that keeps results and events of a
 * few cells
 *
 * Included once, by a test.
 */
#ifndef OSW_TESTS_GANG_SINK_H
#define OSW_TESTS_GANG_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mpi_runner/ranks/coordinator.h"

enum { MAX_CELLS = 64 };

struct memory {
    uint8_t state[MAX_CELLS];
    char reason[MAX_CELLS][120];
    uint32_t attempt[MAX_CELLS];
    int n_begun[MAX_CELLS], n_retries;
    bool suspect[MAX_CELLS];
};

static int take_device(void *sink, const char *host,
                       const struct osw_device_info *device, int32_t rank,
                       struct osw_error *err)
{
    (void)sink, (void)host, (void)device, (void)rank, (void)err;
    return 0;
}

static int take_unsound(void *sink, const struct osw_device_info *device,
                        int32_t rank, struct osw_error *err)
{
    return take_device(sink, "", device, rank, err);
}

static int take_begin(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                      struct osw_error *err)
{
    (void)rank, (void)attempt, (void)err;
    ((struct memory *)sink)->n_begun[cell]++;
    return 0;
}

static int take_result(void *sink, const struct osw_record *r,
                       const struct osw_cell_names *names,
                       struct osw_error *err)
{
    struct memory *m = sink;

    (void)names, (void)err;
    assert_int_equal(m->state[r->cell], 0);
    m->state[r->cell] = r->status_id;
    m->attempt[r->cell] = r->attempt;
    snprintf(m->reason[r->cell], sizeof(m->reason[0]), "%s", r->reason);
    return 0;
}

static int take_event(void *sink, enum osw_event_kind kind, int32_t rank,
                      int64_t value, const char *text, struct osw_error *err)
{
    struct memory *m = sink;

    (void)rank, (void)text, (void)err;
    m->n_retries += kind == OSW_EVENT_RETRY;
    if (kind == OSW_EVENT_SUSPECT)
        m->suspect[value] = true;
    return 0;
}

static int take_rank(void *sink, const struct osw_rank_summary *summary,
                     struct osw_error *err)
{
    (void)sink, (void)summary, (void)err;
    return 0;
}

static bool take_commit_due(const void *sink, int64_t now_ns)
{
    (void)sink, (void)now_ns;
    return true;
}

static int take_commit(void *sink, struct osw_error *err)
{
    (void)sink, (void)err;
    return 0;
}

static const struct osw_sink_ops memory_ops = {.device = take_device,
                                               .unsound = take_unsound,
                                               .begin = take_begin,
                                               .result = take_result,
                                               .event = take_event,
                                               .rank = take_rank,
                                               .commit_due = take_commit_due,
                                               .commit = take_commit,
                                               .push = take_commit};

#endif /* OSW_TESTS_GANG_SINK_H */

/* tests/simulate/checks.c - is every cell judged once, recorded once and
 * acknowledged? */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/simulate/clock.h"
#include "tests/simulate/side.h"
#include "tests/simulate/sim.h"

enum { MAX_SAID = 5 };                              /* broken rules, in full */
static const int64_t commit_period_ns = 1000000000; /* as the journal's */

int sim_checks_set_up(struct sim_checks *k, const struct osw_plan *plan,
                      int size, struct osw_error *err)
{
    *k = (struct sim_checks){.plan = plan};
    k->begun_by = calloc(plan->n_cells, sizeof(*k->begun_by));
    k->recorded = calloc(plan->n_cells, 1);
    k->twinned = calloc(plan->n_cells, 1);
    k->retried = calloc(plan->n_cells, sizeof(*k->retried));
    k->of_rank = calloc((size_t)size, sizeof(*k->of_rank));
    k->was_lost = calloc((size_t)size, sizeof(*k->was_lost));
    if (k->begun_by && k->recorded && k->twinned && k->retried && k->of_rank &&
        k->was_lost)
        return 0;
    sim_checks_free(k);
    return osw_fail(err, OSW_NO_MEMORY, "no memory to watch %" PRIu64 " cells",
                    plan->n_cells);
}

void sim_checks_free(struct sim_checks *k)
{
    free(k->begun_by);
    free(k->recorded);
    free(k->twinned);
    free(k->retried);
    free(k->of_rank);
    free(k->was_lost);
    *k = (struct sim_checks){.plan = NULL};
}

void sim_checks_broken(struct sim_checks *k, const char *fmt, ...)
{
    va_list ap;

    if (k->n_broken++ >= MAX_SAID)
        return;
    fprintf(stderr, "simulate: broken: ");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

void sim_checks_begin(struct sim_checks *k, uint64_t cell, int rank)
{
    uint32_t before = k->begun_by[cell];
    bool retried = k->retried[cell];

    k->n_begun++;
    k->begun_by[cell] = (uint32_t)rank;
    k->retried[cell] = false;
    if (before == 0)
        return;
    if (retried || k->was_lost[before] || k->was_lost[rank])
        k->n_again++;
    else if (k->twinned[cell] > 0)
        k->twinned[cell]--, k->n_copied++;
    else
        sim_checks_broken(k,
                          "rank %d begins cell %" PRIu64 ", which rank %" PRIu32
                          " had begun and was not lost",
                          rank, cell, before);
}

void sim_checks_gang(struct sim_checks *k, const struct sim_part *parts,
                     uint32_t n, bool one_node)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct sim_part *a = &parts[i - 1], *b = &parts[i];

        if (a->cell != b->cell)
            sim_checks_broken(k,
                              "ranks %" PRIu32 " and %" PRIu32
                              " of one gang are at cells %" PRIu32
                              " and %" PRIu32,
                              a->rank, b->rank, a->cell, b->cell);
        if (a->rank >= b->rank)
            sim_checks_broken(
                k, "rank %" PRIu32 " comes before rank %" PRIu32 " in one gang",
                a->rank, b->rank);
        if (one_node &&
            (a->rank - 1) / SIM_ON_NODE != (b->rank - 1) / SIM_ON_NODE)
            sim_checks_broken(k,
                              "ranks %" PRIu32 " and %" PRIu32
                              " of one gang are on two nodes",
                              a->rank, b->rank);
    }
}

static const struct osw_plan_bundle *bundle_from(const struct sim_checks *k,
                                                 uint64_t first_cell)
{
    size_t low = 0, high = k->plan->n_bundles;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (k->plan->bundles[mid].first_cell <= first_cell)
            low = mid;
        else
            high = mid;
    }
    return &k->plan->bundles[low];
}

/* The bundle with that first cell may be begun once more: as a second copy, */
static void expect_twin(struct sim_checks *k, uint64_t first_cell)
{
    const struct osw_plan_bundle *b = bundle_from(k, first_cell);

    for (uint32_t i = 0; i < b->n_run; i++)
        if (k->twinned[b->first_cell + i]++ > 0)
            sim_checks_broken(k, "cell %" PRIu64 " has a second copy twice",
                              b->first_cell + i);
}

/* or as its gang has lost a member. */
static void expect_again(struct sim_checks *k, uint64_t first_cell)
{
    const struct osw_plan_bundle *b = bundle_from(k, first_cell);

    k->n_broken_gangs++;
    for (uint32_t i = 0; i < b->n_run; i++)
        k->retried[b->first_cell + i] = true;
}

/* --- the sink --- */

static int on_device(void *sink, const char *host,
                     const struct osw_device_info *device, int32_t rank,
                     struct osw_error *err)
{
    (void)sink, (void)host, (void)device, (void)rank, (void)err;
    return 0;
}

static int on_unsound(void *sink, const struct osw_device_info *device,
                      int32_t rank, struct osw_error *err)
{
    return on_device(sink, "", device, rank, err);
}

static int on_begin(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                    struct osw_error *err)
{
    struct sim_checks *k = sink;

    (void)err;
    sim_side_enter();
    if (cell >= k->plan->n_cells || attempt == 0 || k->recorded[cell])
        sim_checks_broken(
            k, "cell %" PRIu64 " goes to rank %d, attempt %" PRIu32 ", %s",
            cell, (int)rank, attempt, "but is recorded or is none of the plan");
    sim_side_leave();
    return 0;
}

static int on_result(void *sink, const struct osw_record *record,
                     const struct osw_cell_names *names, struct osw_error *err)
{
    struct sim_checks *k = sink;

    (void)names, (void)err;
    sim_side_enter();
    if (record->rank > 0) {
        k->of_rank[record->rank]++;
        k->last_ns = sim_clock_ns();
    }
    if (k->forget)
        k->forget = false;
    else if (k->recorded[record->cell]++ == 0)
        k->n_recorded++;
    else
        sim_checks_broken(k, "cell %" PRIu64 " is recorded a second time",
                          record->cell);
    sim_side_leave();
    return 0;
}

static int on_event(void *sink, enum osw_event_kind kind, int32_t rank,
                    int64_t value, const char *text, struct osw_error *err)
{
    struct sim_checks *k = sink;

    (void)text, (void)err;
    k->n_events[kind]++;
    if (kind == OSW_EVENT_TWIN && k->twin_rank == 0)
        k->twin_rank = rank;
    if (kind == OSW_EVENT_TWIN)
        expect_twin(k, (uint64_t)value);
    if (kind == OSW_EVENT_RETRY)
        expect_again(k, (uint64_t)value);
    if (kind == OSW_EVENT_RANK_LOST)
        k->was_lost[rank] = true;
    return 0;
}

static int on_rank(void *sink, const struct osw_rank_summary *summary,
                   struct osw_error *err)
{
    (void)sink, (void)summary, (void)err;
    return 0;
}

static bool is_commit_due(const void *sink, int64_t now_ns)
{
    return now_ns - ((const struct sim_checks *)sink)->commit_ns >
           commit_period_ns;
}

static int on_commit(void *sink, struct osw_error *err)
{
    (void)err;
    ((struct sim_checks *)sink)->commit_ns = sim_clock_ns();
    return 0;
}

static int on_push(void *sink, struct osw_error *err)
{
    (void)sink, (void)err;
    return 0;
}

const struct osw_sink_ops sim_checks_sink = {.device = on_device,
                                             .unsound = on_unsound,
                                             .begin = on_begin,
                                             .result = on_result,
                                             .event = on_event,
                                             .rank = on_rank,
                                             .commit_due = is_commit_due,
                                             .commit = on_commit,
                                             .push = on_push};

/* mpi_runner/ranks/ledger.c - every planned cell ends in exactly one state */
#include "mpi_runner/ranks/ledger.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/clock.h"

struct osw_ledger {
    const struct osw_plan *plan;
    const struct osw_sink_ops *ops;
    void *sink;
    uint8_t *states; /* [osw_plan_n_numbers()] enum osw_state; NONE: open, or of
                        another shard */
    struct osw_totals totals;
};

/* --- results/file/run.h as a sink --- */

static int run_device(void *sink, const char *host,
                      const struct osw_device_info *device, int32_t rank,
                      struct osw_error *err)
{
    return osw_run_device(sink, host, device, rank, err);
}

static int run_unsound(void *sink, const struct osw_device_info *device,
                       int32_t rank, struct osw_error *err)
{
    return osw_run_device_again(sink, device, rank, err);
}

static int run_begin(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                     struct osw_error *err)
{
    return osw_run_begin(sink, cell, rank, attempt, err);
}

static int run_result(void *sink, const struct osw_record *record,
                      const struct osw_cell_names *names, struct osw_error *err)
{
    return osw_run_result(sink, record, names, err);
}

static int run_event(void *sink, enum osw_event_kind kind, int32_t rank,
                     int64_t value, const char *text, struct osw_error *err)
{
    return osw_run_event(sink, kind, rank, value, text, err);
}

static int run_rank(void *sink, const struct osw_rank_summary *summary,
                    struct osw_error *err)
{
    return osw_run_rank(sink, summary, err);
}

static bool run_commit_due(const void *sink, int64_t now_ns)
{
    return osw_run_commit_due(sink, now_ns);
}

static int run_commit(void *sink, struct osw_error *err)
{
    return osw_run_commit(sink, err);
}

static int run_push(void *sink, struct osw_error *err)
{
    return osw_run_push(sink, err);
}

const struct osw_sink_ops osw_sink_run = {
    .device = run_device,
    .unsound = run_unsound,
    .begin = run_begin,
    .result = run_result,
    .event = run_event,
    .rank = run_rank,
    .commit_due = run_commit_due,
    .commit = run_commit,
    .push = run_push,
};

/* --- the ledger --- */

osw_ledger_t *osw_ledger_create(const struct osw_plan *plan,
                                const struct osw_sink_ops *ops, void *sink)
{
    osw_ledger_t *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->states = calloc(osw_plan_n_numbers(plan) + 1, sizeof(*l->states));
    if (!l->states) {
        free(l);
        return NULL;
    }
    l->plan = plan;
    l->ops = ops;
    l->sink = sink;
    l->totals.n_planned = plan->n_cells;
    return l;
}

void osw_ledger_destroy(osw_ledger_t *ledger)
{
    if (!ledger)
        return;
    free(ledger->states);
    free(ledger);
}

/* The cell is the plan's: a worker is not trusted to name it. */
static struct osw_record complete(const struct osw_plan_bundle *b, uint32_t k,
                                  const struct osw_record *record)
{
    struct osw_record r = *record;

    r.cell = b->first_cell + k;
    r.cell_key = b->cell_keys[k];
    r.memory_bytes = b->memory_bytes;
    return r;
}

int osw_ledger_add(osw_ledger_t *ledger, uint32_t bundle, uint32_t k,
                   const struct osw_record *record, struct osw_place place,
                   struct osw_error *err)
{
    const struct osw_plan_bundle *b = &ledger->plan->bundles[bundle];
    struct osw_record r = complete(b, k, record);
    enum osw_state state = (enum osw_state)r.status_id;
    struct osw_cell_names names = {
        .op = b->op_name,
        .impl = b->impls[k],
        .case_text = b->case_text,
        .dtype = b->dtype,
        .fill = b->fill,
        .host = place.host,
        .device = place.device,
    };

    if (ledger->states[r.cell] != OSW_STATE_NONE)
        return osw_fail(err, OSW_INTERNAL,
                        "cell %" PRIu64 " is '%s' and cannot become '%s'",
                        r.cell, osw_state_name(ledger->states[r.cell]),
                        osw_state_name(state));
    if (ledger->ops->result(ledger->sink, &r, &names, err) < 0)
        return -1;
    osw_ledger_restore(ledger, r.cell, state);
    return 0;
}

void osw_ledger_restore(osw_ledger_t *ledger, uint64_t cell,
                        enum osw_state state)
{
    ledger->states[cell] = (uint8_t)state;
    ledger->totals.n_recorded++;
    ledger->totals.n_state[state]++;
    ledger->totals.n_group[osw_state_group(state)]++;
}

int osw_ledger_add_unjudged(osw_ledger_t *ledger, uint32_t bundle, uint32_t k,
                            enum osw_state state, uint32_t attempt,
                            const char *reason, struct osw_error *err)
{
    const struct osw_plan_bundle *b = &ledger->plan->bundles[bundle];
    struct osw_record r;

    osw_record_init(&r);
    r.status_id = (uint8_t)state;
    r.phase_id = state == OSW_STATE_SKIPPED || state == OSW_STATE_LOAD
                     ? OSW_PHASE_PLAN
                     : OSW_PHASE_NONE;
    r.attempt = attempt;
    r.t_start_ns = osw_clock_unix_ns();
    r.flops = b->flops;
    r.bytes = b->bytes;
    r.world = osw_plan_world(b) > 1 ? osw_plan_world(b) : 0;
    r.reason = reason;
    return osw_ledger_add(ledger, bundle, k, &r, (struct osw_place){"", ""},
                          err);
}

int osw_ledger_add_skipped(osw_ledger_t *ledger, struct osw_error *err)
{
    const struct osw_plan *plan = ledger->plan;

    for (uint32_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        enum osw_state state = b->broken ? OSW_STATE_LOAD : OSW_STATE_SKIPPED;

        for (uint32_t k = b->n_run; k < b->n_cells; k++)
            if (ledger->states[b->first_cell + k] == OSW_STATE_NONE &&
                osw_ledger_add_unjudged(ledger, i, k, state, 0, b->reasons[k],
                                        err) < 0)
                return -1;
    }
    return 0;
}

const struct osw_totals *osw_ledger_totals(const osw_ledger_t *ledger)
{
    return &ledger->totals;
}

int osw_ledger_check(const osw_ledger_t *ledger, uint64_t n_open,
                     struct osw_error *err)
{
    const struct osw_totals *t = &ledger->totals;
    uint64_t found[OSW_STATE_COUNT] = {0};
    uint64_t n_numbers = osw_plan_n_numbers(ledger->plan);

    for (uint64_t c = 0; c < n_numbers; c++)
        found[ledger->states[c]]++;
    found[OSW_STATE_NONE] -= n_numbers - t->n_planned; /* of other shards */
    if (t->n_recorded + n_open != t->n_planned)
        return osw_fail(err, OSW_INTERNAL,
                        "accounting: %" PRIu64 " cells recorded and %" PRIu64
                        " open, but %" PRIu64 " planned",
                        t->n_recorded, n_open, t->n_planned);
    if (found[OSW_STATE_NONE] != n_open)
        return osw_fail(err, OSW_INTERNAL,
                        "accounting: %" PRIu64 " cells without a record, but "
                        "%" PRIu64 " open",
                        found[OSW_STATE_NONE], n_open);
    for (int s = 1; s < OSW_STATE_COUNT; s++)
        if (found[s] != t->n_state[s])
            return osw_fail(err, OSW_INTERNAL,
                            "accounting: %" PRIu64 " cells are '%s', but "
                            "%" PRIu64 " were counted",
                            found[s], osw_state_name((enum osw_state)s),
                            t->n_state[s]);
    return 0;
}

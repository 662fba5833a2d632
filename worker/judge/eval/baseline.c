/* worker/judge/eval/baseline.c - the baseline that cells are timed against */
#include "worker/judge/eval/baseline.h"

#include <math.h>
#include <string.h>

#include "ops/catalog/baselines.h"
#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/first.h"

static void take(struct osw_eval *run, const char *name,
                 struct osw_sandbox *sandbox)
{
    run->baseline = sandbox->id;
    run->baseline_name = name;
    sandbox->pinned = true;
}

static void give_up(struct osw_eval *run)
{
    struct osw_sandbox *sandbox = osw_eval_baseline(run);

    if (sandbox)
        sandbox->pinned = false;
    run->baseline = OSW_NO_SANDBOX;
}

void osw_baseline_offer(struct osw_eval *run, const char *name,
                        struct osw_sandbox *sandbox)
{
    if (!run->baseline_name &&
        osw_baselines_rank(run->bundle->baselines, name) >= 0)
        take(run, name, sandbox);
}

bool osw_baseline_review(struct osw_eval *run, uint32_t k)
{
    if (!run->baseline_name || osw_first_is_right(&run->records[k]) ||
        strcmp(run->bundle->impls[k], run->baseline_name) != 0)
        return false;
    give_up(run);
    run->baseline_name = NULL;
    for (uint32_t i = 0; i < run->bundle->n_impls; i++) {
        struct osw_record *r = &run->records[i];

        r->speedup = r->speedup_lo = r->speedup_hi = NAN;
        r->baseline_median_ns = NAN;
    }
    return true;
}

void osw_baseline_arm(struct osw_eval *run, bool ok)
{
    struct osw_sandbox *sandbox = osw_eval_baseline(run);
    struct osw_record unused;

    osw_record_init(&unused);
    if (osw_agree_all(&run->agree, ok && sandbox) &&
        osw_agree_all(&run->agree, osw_attempt_arm(run, sandbox, &unused)))
        return;
    give_up(run);
}

/* The cell of that name; NULL: there is none. */
static const struct osw_record *cell_of(const struct osw_eval *run,
                                        const char *name)
{
    for (uint32_t k = 0; k < run->bundle->n_impls; k++)
        if (strcmp(run->bundle->impls[k], name) == 0)
            return &run->records[k];
    return NULL;
}

/* Judge a baseline that is no cell of this bundle. */
static void try_outside(struct osw_eval *run, const char *name)
{
    struct osw_record record;
    struct osw_sandbox *sandbox;

    osw_record_init(&record);
    name = osw_arena_strdup(run->memory, name);
    sandbox = name ? osw_first_judge(run, name, &run->outside, &record) : NULL;
    if (sandbox)
        take(run, name, sandbox);
    run->shared.build_ns += record.build_ns;
    run->shared.fill_ns += record.fill_ns;
    run->shared.run_ns += record.run_ns;
    run->shared.verify_ns += record.verify_ns;
}

void osw_baseline_seek(struct osw_eval *run, bool judged)
{
    char name[OSW_OP_MAX_NAME + 1];
    bool expected = !judged;

    /* Of a gang only cells of the bundle are: members judge those in step. */
    if (!osw_eval_wants_time(run) || run->stopped != OSW_STATE_NONE ||
        run->agree.gang)
        return;
    for (uint32_t i = 0;
         !run->baseline_name &&
         osw_baselines_at(run->bundle->baselines, (int)i, name, sizeof(name));
         i++) {
        const struct osw_record *cell = cell_of(run, name);

        if (cell && (!judged || osw_first_is_right(cell)))
            return;
        if (cell || i < run->n_outside)
            continue;
        run->n_outside = i + 1;
        expected = expected || osw_expected_again(run);
        if (expected)
            try_outside(run, name);
    }
}

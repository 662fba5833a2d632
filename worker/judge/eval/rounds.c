/* worker/judge/eval/rounds.c - the rounds in which a case's cells are judged
 */
#include "worker/judge/eval/rounds.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/eval/attempt.h"
#include "worker/judge/eval/baseline.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/expected.h"
#include "worker/judge/eval/first.h"
#include "worker/judge/eval/fresh.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/timing/timing.h"

enum {
    RECHECK_SAMPLES = 64,
    RECHECK_FEW = 16, /* where timing has called this very load often */
};

const enum osw_trial_kind osw_rounds_trials[OSW_N_TRIALS] = {
    OSW_TRIAL_PERMUTED, OSW_TRIAL_INTEGERS, OSW_TRIAL_OFFSET, OSW_TRIAL_SPECIAL,
    OSW_TRIAL_WIDE,     OSW_TRIAL_TIES,     OSW_TRIAL_REDRAW};

/* A round: which inputs, which cells, what is done with each. */
struct round {
    const char *name;
    /* Make its inputs, in `room` or run->own; false: the round is left out. */
    bool (*begin)(struct osw_eval *run, const struct round *round,
                  struct osw_inputs *room);
    bool (*takes)(const struct osw_eval *run, uint32_t k,
                  const struct round *round);
    void (*cell)(struct osw_eval *run, uint32_t k, const struct round *round);
    int kind; /* enum osw_trial_kind of its inputs; -1: the case's own */
    uint32_t rep;
    unsigned turn; /* see osw_eval_trial_fills() */
};

/* A sandbox that was ended since the first round, to make room, repeats that
 * round's calls: else faults that only repeated calls show would be missed.
 * False, with the verdict in *r, when they fail.
 */
static bool catch_up(struct osw_eval *run, struct osw_sandbox *sandbox,
                     struct osw_record *r)
{
    struct osw_known fresh = {.hash = 0};
    struct osw_record again = *r;

    if (sandbox->case_id == run->case_id)
        return true;
    again.status_id = OSW_STATE_NONE;
    if (osw_attempt_first(run, run->other, sandbox, &fresh, &again))
        return true;
    *r = again;
    return false;
}

/* --- the first round: the case's own inputs --- */

static bool takes_all(const struct osw_eval *run, uint32_t k,
                      const struct round *round)
{
    (void)run;
    (void)k;
    (void)round;
    return true;
}

static void judge_own(struct osw_eval *run, uint32_t k,
                      const struct round *round)
{
    struct osw_record *record = &run->records[k];

    (void)round;
    if (run->stopped == OSW_STATE_NONE) {
        const struct osw_sandbox *sandbox =
            osw_first_judge(run, run->bundle->impls[k], &run->known[k], record);

        run->members[k] = sandbox ? sandbox->id : OSW_NO_SANDBOX;
        return;
    }
    record->status_id = (uint8_t)run->stopped;
    record->phase_id = OSW_PHASE_REFERENCE;
    record->reason = run->why;
    osw_first_show(run, run->bundle->impls[k], &run->own, NULL, record);
}

/* --- the second round: other inputs --- */

/* Is the cell judged in this round?  Yes if it passed so far, even weakly; and
 * in the round of integers if these may show that only precision is wrong.
 */
static bool goes_on(const struct osw_eval *run, uint32_t k,
                    const struct round *round)
{
    int status = run->records[k].status_id;

    return status == OSW_STATE_PASS || status == OSW_STATE_WEAK ||
           (round->kind == OSW_TRIAL_INTEGERS && run->known[k].doubtful);
}

static bool any_goes_on(const struct osw_eval *run, const struct round *round)
{
    for (uint32_t i = run->from; i < run->to; i++)
        if (goes_on(run, run->order[i], round))
            return true;
    return false;
}

/* Without a reference on other inputs, the cell gets the same verdict as
 * without one on the case's own inputs.
 */
static void blame_reference(struct osw_eval *run, const struct round *round,
                            const struct osw_oracle_result *want)
{
    for (uint32_t i = run->from; want->text[0] && i < run->to; i++) {
        uint32_t k = run->order[i];
        struct osw_record *r = &run->records[k];

        if (!goes_on(run, k, round))
            continue;
        r->status_id = (uint8_t)osw_expected_blamed(want->state);
        r->phase_id = OSW_PHASE_REFERENCE;
        r->reason =
            osw_arena_printf(run->memory, "on other inputs: %s", want->text);
    }
}

/* Inputs that cannot be generated again are no fault of the implementations,
 * but cells that pass were tried on fewer inputs: this is noted in the second
 * round, or only in the last one.
 */
static void say_untried(struct osw_eval *run, const struct round *round,
                        const struct osw_oracle_result *want)
{
    bool late = round->rep > 1;
    char what[64];

    snprintf(what, sizeof(what), "not judged %s",
             round->kind != OSW_TRIAL_REDRAW ? osw_verdict_prefix(round->kind)
             : late                          ? "on other inputs once more: "
                                             : "on other inputs: ");

    for (uint32_t i = run->from; want->note[0] && i < run->to; i++) {
        uint32_t k = run->order[i];
        struct osw_record *r = &run->records[k];

        if (goes_on(run, k, round) &&
            late == (r->trials >> OSW_TRIAL_REDRAW & 1))
            osw_verdict_say(run->memory, r, what, want->note);
    }
}

/* A product that is too large for its reference is judged on new values alone,
 * however long a call takes: only these are real numbers.
 */
static bool affords(const struct osw_eval *run, const struct round *round)
{
    if (round->rep > 1)
        return osw_eval_affords_verifying(run);
    return run->check == OSW_CHECK_FREIVALDS ? round->kind == OSW_TRIAL_REDRAW
                                             : osw_eval_affords_trials(run);
}

static bool begin_trial(struct osw_eval *run, const struct round *round,
                        struct osw_inputs *room)
{
    enum osw_trial_kind kind = (enum osw_trial_kind)round->kind;

    if (run->own.want.have_values && !run->other)
        osw_expected_time_again(run);
    if (!run->own.want.have_shapes || !affords(run, round) ||
        (round->rep == 1 && !(run->judge->op.trials >> kind & 1)) ||
        !any_goes_on(run, round))
        return false;
    if (!osw_expected_make_trial(run, kind, round->turn, round->rep, room)) {
        blame_reference(run, round, &room->want);
        if (kind == OSW_TRIAL_REDRAW ||
            (run->judge->op.says_trials && run->judge->op.trials >> kind & 1))
            say_untried(run, round, &room->want);
        return false;
    }
    room->weak = run->own.weak ? osw_eval_weakness(run, room) : NULL;
    return true;
}

/* If the result on integers is right, the earlier fault is one of precision.
 * Else the verdict on the case's own inputs stays.
 */
static void settle_precision(struct osw_eval *run, uint32_t k,
                             struct osw_sandbox *sandbox)
{
    struct osw_record *r = &run->records[k], tried = *r;
    bool right =
        osw_attempt_trial(run, run->other, sandbox, &run->known[k], &tried);

    run->known[k].doubtful = false;
    if (!right || !OSW_CHECKS(DOUBT))
        return;
    r->status_id = OSW_STATE_PRECISION;
    r->trials |= UINT32_C(1) << OSW_TRIAL_INTEGERS;
    r->reason = osw_arena_printf(
        run->memory,
        "right on small integers, but error over norm is up to %.3g: %s",
        r->max_norm_err, r->reason);
}

/* No member starts a fresh process in the middle of a cell: the others would
 * wait for calls that it makes up for.
 */
static void judge_together(struct osw_eval *run, uint32_t k,
                           const struct round *round)
{
    struct osw_record *r = &run->records[k];
    struct osw_sandbox *sandbox =
        osw_pool_find(&run->judge->pool, run->members[k]);

    if (!osw_agree_all(&run->agree, sandbox != NULL))
        return;
    if (run->known[k].doubtful)
        settle_precision(run, k, sandbox);
    else if (osw_attempt_trial(run, run->other, sandbox, &run->known[k], r))
        r->trials |= UINT32_C(1) << round->kind;
    else
        osw_first_show(run, run->bundle->impls[k], run->other, sandbox, r);
}

static void judge_trial(struct osw_eval *run, uint32_t k,
                        const struct round *round)
{
    struct osw_record *r = &run->records[k], before = *r;
    bool doubtful = run->known[k].doubtful;
    enum osw_state state;
    char text[256];
    struct osw_sandbox *sandbox;

    if (run->agree.gang) {
        judge_together(run, k, round);
        return;
    }
    sandbox = osw_fresh_sandbox(run, k, &state, text, sizeof(text));
    if (!sandbox) {
        if (!doubtful)
            osw_fresh_lose(run, state, text, r);
    } else if (doubtful) {
        settle_precision(run, k, sandbox);
    } else if (catch_up(run, sandbox, r) &&
               osw_attempt_trial(run, run->other, sandbox, &run->known[k], r)) {
        r->trials |= UINT32_C(1) << round->kind;
    } else {
        osw_first_show(run, run->bundle->impls[k], run->other, sandbox, r);
        sandbox = osw_fresh_tell_race(run, osw_fresh_index(run, k), run->other,
                                      sandbox, &run->known[k], r);
        osw_fresh_tell_stale(run, k, sandbox, &before);
    }
}

/* --- the third round: timing --- */

static bool is_timed(const struct osw_eval *run, uint32_t k,
                     const struct round *round)
{
    (void)round;
    return osw_first_is_right(&run->records[k]);
}

/* The cell was to be timed and cannot be, through no implementation's fault. */
static void lose_timed(struct osw_eval *run, const struct osw_error *err)
{
    for (uint32_t i = run->from; i < run->to; i++)
        if (is_timed(run, run->order[i], NULL))
            osw_fresh_lose(run, OSW_STATE_DEVICE, err->text,
                           &run->records[run->order[i]]);
}

/* The case's own inputs cannot be made once more. */
static void say_untimed(struct osw_eval *run, const char *why)
{
    for (uint32_t i = run->from; i < run->to; i++)
        if (is_timed(run, run->order[i], NULL))
            osw_verdict_say(run->memory, &run->records[run->order[i]],
                            "not timed: ", why);
}

/* Trials left other inputs in the sandboxes: restore the case's own. */
static bool begin_timing(struct osw_eval *run, const struct round *round,
                         struct osw_inputs *room)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool ok;

    (void)round;
    (void)room;
    run->other = NULL;
    if (!osw_eval_wants_time(run))
        return false;
    ok = osw_expected_restore(run, &err) == 0;
    if (err.status == OSW_DEVICE)
        lose_timed(run, &err);
    else if (!ok)
        say_untimed(run, err.text);
    if (run->from > 0 && (ok || run->agree.gang))
        osw_baseline_arm(run, ok);
    if (!ok)
        return false;
    osw_baseline_seek(run, true);
    osw_timing_know_device(run->judge);
    return true;
}

/* The sandbox that joined the gang, at the case's own inputs again in all
 * members; NULL: it is not in one of them.
 */
static struct osw_sandbox *arm_member(struct osw_eval *run, uint32_t k,
                                      struct osw_record *record)
{
    struct osw_sandbox *sandbox =
        osw_pool_find(&run->judge->pool, run->members[k]);
    bool armed;

    if (!osw_agree_all(&run->agree, sandbox != NULL))
        return NULL;
    armed = osw_attempt_arm(run, sandbox, record);
    return osw_agree_all(&run->agree, armed) ? sandbox : NULL;
}

static void time_cell(struct osw_eval *run, uint32_t k,
                      const struct round *round)
{
    const char *name = run->bundle->impls[k];
    size_t index = osw_eval_impl_index(&run->judge->op, name);
    struct osw_record *r = &run->records[k];
    uint8_t status = r->status_id;
    struct osw_sandbox *sandbox;
    int64_t t0 = osw_clock_ns();

    (void)round;
    r->status_id = OSW_STATE_NONE;
    sandbox = run->agree.gang ? arm_member(run, k, r)
                              : osw_timing_start(run, index, r);
    if (r->status_id == OSW_STATE_NONE)
        r->status_id = status;
    else
        r->phase_id = OSW_PHASE_TIME;
    r->run_ns += osw_clock_ns() - t0;
    if (!sandbox)
        return;
    osw_baseline_offer(run, name, sandbox);
    osw_timing_measure(run, index, sandbox, r);
}

/* --- the fourth round: what timed calls leave --- */

static bool is_rechecked(const struct osw_eval *run, uint32_t k,
                         const struct round *round)
{
    (void)round;
    return run->records[k].status_id == OSW_STATE_PASS &&
           run->records[k].sample_n > 0;
}

static bool begin_recheck(struct osw_eval *run, const struct round *round,
                          struct osw_inputs *room)
{
    return osw_eval_wants_time(run) && OSW_CHECKS(TIMED_RECHECK) &&
           begin_trial(run, round, room);
}

/* About as many as a block has, but a random number: code that counts its calls
 * must not be able to predict it.
 */
static uint32_t recheck_samples(const struct osw_eval *run,
                                const struct osw_record *r)
{
    int64_t block = run->judge->config.profile->block_ns;
    double sample = r->t_median_ns * r->n_inner;
    uint32_t most =
        osw_timing_begins_anew(run->judge) ? RECHECK_SAMPLES : RECHECK_FEW;
    uint32_t n =
        sample < (double)block ? (uint32_t)((double)block / sample) : 0;

    n = n < most ? n + 1 : most;
    return n + (uint32_t)(osw_random_next(&run->judge->random) % (n + 4));
}

/* The process that was timed: as many calls in all members. */
static void recheck_together(struct osw_eval *run, uint32_t k)
{
    struct osw_record *r = &run->records[k];
    struct osw_sandbox *sandbox =
        osw_pool_find(&run->judge->pool, run->members[k]);
    uint32_t n =
        1 + (uint32_t)(osw_random_next(&run->gang_random) % RECHECK_FEW);

    if (osw_agree_all(&run->agree, sandbox != NULL))
        (void)osw_attempt_timed(run, run->other, sandbox, n, &run->known[k], r);
}

static void recheck_cell(struct osw_eval *run, uint32_t k,
                         const struct round *round)
{
    struct osw_record *r = &run->records[k], before = *r;
    uint32_t n;
    enum osw_state state;
    char text[256];
    struct osw_sandbox *sandbox;

    (void)round;
    if (run->agree.gang) {
        recheck_together(run, k);
        return;
    }
    n = recheck_samples(run, r);
    sandbox = osw_fresh_sandbox(run, k, &state, text, sizeof(text));
    if (!sandbox)
        osw_fresh_lose(run, state, text, r);
    else if (catch_up(run, sandbox, r) &&
             !osw_attempt_timed(run, run->other, sandbox, n, &run->known[k], r))
        osw_fresh_tell_stale(run, k, sandbox, &before);
}

/* --- the table --- */

static bool begin_own(struct osw_eval *run, const struct round *round,
                      struct osw_inputs *room)
{
    (void)round;
    (void)room;
    run->other = NULL;
    return true;
}

/* clang-format off */
static const struct round rounds[] = {
    { "own",      begin_own,     takes_all,    judge_own,
      -1, 0, 0 },
    { "permuted", begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_PERMUTED, 1, 0 },
    { "integers", begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_INTEGERS, 1, 0 },
    { "offset",   begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_OFFSET, 1, 0 },
    { "offset2",  begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_OFFSET, 1, 1 },
    { "special",  begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_SPECIAL, 1, 0 },
    { "wide",     begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_WIDE, 1, 0 },
    { "ties",     begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_TIES, 1, 0 },
    { "redraw",   begin_trial,   goes_on,      judge_trial,
      OSW_TRIAL_REDRAW, 1, 0 },
    { "timing",   begin_timing,  is_timed,     time_cell,
      -1, 0, 0 },
    { "timed",    begin_recheck, is_rechecked, recheck_cell,
      OSW_TRIAL_REDRAW, 2, 0 },
};
/* clang-format on */

static void touch(struct osw_eval *run, struct osw_sandbox *sandbox)
{
    if (sandbox)
        sandbox->last_used = ++run->judge->pool.uses;
}

/* A cell's part of a round took so long, without what was for all of its case:
 * that is in their shares.  What no phase has counted goes to the round's own;
 * timing and appeals count what is in the shares, too.
 */
static void charge_time(struct osw_eval *run, uint32_t k,
                        const struct round *round, int64_t took_ns,
                        int64_t counted_ns)
{
    struct osw_record *r = &run->records[k];
    bool timing = round->cell == time_cell || round->cell == recheck_cell;
    int64_t rest_ns = took_ns - counted_ns;
    int64_t *phase_ns = timing        ? &r->time_ns
                        : rest_ns > 0 ? &r->run_ns
                                      : &r->verify_ns;

    run->own_ns[k] += took_ns;
    osw_record_charge(r, phase_ns, rest_ns);
}

static void one(struct osw_eval *run, uint32_t k, const struct round *round)
{
    int64_t shared = osw_record_phases_ns(&run->shared),
            before = osw_record_phases_ns(&run->records[k]),
            t0 = osw_clock_ns();

    if (!round->takes(run, k, round))
        return;
    touch(run, osw_eval_baseline(run));
    touch(run, osw_eval_reference(run));
    round->cell(run, k, round);
    (void)osw_agree_record(&run->agree, run->memory, &run->records[k]);
    charge_time(run, k, round,
                osw_clock_ns() - t0 -
                    (osw_record_phases_ns(&run->shared) - shared),
                osw_record_phases_ns(&run->records[k]) - before);
    if (osw_baseline_review(run, k) && round->cell == time_cell)
        osw_baseline_seek(run, true);
    if (run->judge->config.tick)
        run->judge->config.tick(run->judge->config.tick_arg);
}

/* One round over a group of cells.  The time of a cell's part is charged to
 * that cell.
 */
static void each(struct osw_eval *run, const struct round *round)
{
    for (uint32_t i = run->from; i < run->to; i++)
        one(run, run->order[i], round);
}

/* A round is for all members of a gang, or left out by all.  Where only some
 * have no inputs, their cells say why.
 */
static bool begins(struct osw_eval *run, const struct round *round,
                   struct osw_inputs *room)
{
    enum osw_agreed agreed =
        osw_agree_on(&run->agree, round->begin(run, round, room));

    if (agreed == OSW_AGREED_SOME)
        for (uint32_t i = run->from; i < run->to; i++)
            (void)osw_agree_record(&run->agree, run->memory,
                                   &run->records[run->order[i]]);
    if (agreed == OSW_AGREED_ALL && round->kind >= 0 && run->own.weak &&
        !osw_agree_all(&run->agree, room->weak != NULL))
        room->weak = NULL;
    return agreed == OSW_AGREED_ALL;
}

void osw_rounds_run(struct osw_eval *run)
{
    struct osw_inputs room;

    for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
        if (!begins(run, &rounds[i], &room))
            continue;
        if (rounds[i].kind >= 0)
            run->other = &room;
        each(run, &rounds[i]);
        if (run->stopped != OSW_STATE_NONE)
            return;
    }
    run->other = NULL;
}

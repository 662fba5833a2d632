/* worker/judge/eval/verdict.c - from findings to a state */
#include "worker/judge/eval/verdict.h"

#include <signal.h>
#include <stdio.h>

#include "ops/inputs/trials.h"

enum {
    NO_DEVICE_MEMORY = 2, /* cudaErrorMemoryAllocation */
    LEAST_BITS = 32,      /* a coincidence in four thousand million calls */
};

static const char *const prefixes[OSW_N_TRIALS] = {
    [OSW_TRIAL_REDRAW] = "on other inputs: ",
    [OSW_TRIAL_INTEGERS] = "on small integers: ",
    [OSW_TRIAL_OFFSET] = "on inputs of mean 100 or -100: ",
    [OSW_TRIAL_SPECIAL] = "on special values: ",
    [OSW_TRIAL_WIDE] = "on large integers: ",
    [OSW_TRIAL_TIES] = "on nearly equal values: ",
    [OSW_TRIAL_PERMUTED] = "on inputs of which some are exchanged: ",
};

const char *osw_verdict_prefix(int kind)
{
    return kind >= 0 ? prefixes[kind] : "";
}

void osw_verdict_say(osw_arena_t *memory, struct osw_record *record,
                     const char *prefix, const char *text)
{
    const char *said = record->reason ? record->reason : "";

    record->reason = osw_arena_printf(
        memory, "%s%s%s%s", said, *said ? "; " : "", prefix, text ? text : "");
}

/* --- when a rule applies to a fault --- */

static bool out_of_device_memory(const struct osw_evidence *e)
{
    return e->call->from_device && e->call->exit_code == NO_DEVICE_MEMORY;
}

static bool device_error(const struct osw_evidence *e)
{
    return e->call->from_device;
}

static bool unsupported(const struct osw_evidence *e)
{
    return e->call->unsupported;
}

static bool no_memory(const struct osw_evidence *e)
{
    return e->call->no_memory;
}

static bool changing(const struct osw_evidence *e)
{
    return e->changing;
}

/* An element holds the poison of the last call. */
static bool poison_is_left(const struct osw_evidence *e)
{
    return e->call->untouched;
}

/* Elements look like poison over one pattern but not over the other: they were
 * computed from poison.
 */
static bool depends_on_poison(const struct osw_evidence *e)
{
    return e->before && e->before->untouched && !e->call->untouched;
}

/* Wrong over one pattern of poison and right over the other. */
static bool differs_by_poison(const struct osw_evidence *e)
{
    return e->call->fault == OSW_FAULT_NONE && e->before &&
           e->before->fault == OSW_FAULT_VALUES;
}

/* The same outputs were right on the earlier inputs, and off by half as much or
 * more: what is expected of both may be equal (a sum of exchanged elements),
 * and then code without any state gives the same, too.
 */
static bool was_as_wrong(const struct osw_evidence *e)
{
    return e->earlier_error > 0 && e->call->errors.n_nan == 0 &&
           e->call->errors.max_abs <= 2 * e->earlier_error;
}

/* Outputs of earlier inputs, or no outputs at all from timed calls.  A wrong
 * index that is the earlier one says nothing: where so few bits are equal, only
 * a fresh process tells (fresh.h).
 */
static bool old_result(const struct osw_evidence *e)
{
    bool same =
        e->earlier || (e->earlier_hash && e->call->hash == e->earlier_hash &&
                       !was_as_wrong(e));

    return (same && e->call->errors.bits >= LEAST_BITS) ||
           (e->timed && e->call->untouched);
}

static bool only_imprecise(const struct osw_evidence *e)
{
    return e->call->errors.n_bad == 0;
}

static bool wrong_nan(const struct osw_evidence *e)
{
    return e->call->errors.n_nan > 0;
}

static bool bits_differ(const struct osw_evidence *e)
{
    return e->deterministic && e->before && e->before->hash != e->call->hash;
}

/* --- what it says --- */

static void say_found(const struct osw_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "%s", e->call->text);
}

/* An address may have been kept that is none any more. */
static void say_end(const struct osw_evidence *e, char *text, size_t size)
{
    bool kept = e->moved && e->call->end_signal == SIGSEGV;

    snprintf(text, size, "%s%s", e->call->text,
             kept ? " in the second call, whose tensors and workspace lie at "
                    "other addresses than those of the first: was a pointer "
                    "kept?"
                  : "");
}

static void say_prefixed(const struct osw_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "%s%s", osw_verdict_prefix(e->kind), e->call->text);
}

/* On the case's own inputs it is the case that it declines. */
static void say_declined(const struct osw_evidence *e, char *text, size_t size)
{
    if (e->kind < 0)
        say_found(e, text, size);
    else
        snprintf(
            text, size,
            "%sdeclined what it had accepted with the case's own values%s%s",
            osw_verdict_prefix(e->kind), e->call->text[0] ? ": " : "",
            e->call->text);
}

static void say_no_memory(const struct osw_evidence *e, char *text, size_t size)
{
    (void)e;
    snprintf(text, size, "asked for more memory than the case was given");
}

static void say_returned(const struct osw_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "returned %d%s%s", (int)e->call->exit_code,
             e->call->text[0] ? ": " : "", e->call->text);
}

static void say_changes(const struct osw_evidence *e, char *text, size_t size)
{
    uint64_t now = e->changing ? e->changed_hash : e->call->hash;

    snprintf(text, size,
             "%soutputs changed after it had returned: hash %016llx right "
             "after it, then %016llx",
             osw_verdict_prefix(e->kind), (unsigned long long)e->call->claimed,
             (unsigned long long)now);
}

static void say_depends(const struct osw_evidence *e, char *text, size_t size)
{
    const struct osw_findings *wrong =
        e->call->fault == OSW_FAULT_NONE ? e->before : e->call;

    snprintf(text, size,
             "%sreads what it did not write, or beside its inputs: %s",
             osw_verdict_prefix(e->kind), wrong->text);
}

static void say_unwritten(const struct osw_evidence *e, char *text, size_t size)
{
    snprintf(text, size, "%sleft element %lld of output %d unwritten",
             osw_verdict_prefix(e->kind), (long long)e->call->errors.first_bad,
             (int)e->call->errors.bad_output);
}

static void say_old(const struct osw_evidence *e, char *text, size_t size)
{
    const char *when = !e->timed    ? "called again on other inputs: "
                       : e->altered ? "in timed calls, on inputs that changed: "
                                    : "in timed calls: ";

    snprintf(text, size, "%s%s", when,
             e->call->untouched ? "left its outputs unwritten"
                                : "gave the result of earlier inputs");
}

static void say_differs(const struct osw_evidence *e, char *text, size_t size)
{
    (void)e;
    snprintf(text, size, "two runs on the same inputs gave different bits");
}

/* --- the rules --- */

enum { ANY = -1 };

/* clang-format off */
static const struct rule {
    int fault;                                      /* enum osw_fault, or ANY */
    bool (*applies)(const struct osw_evidence *e);  /* NULL: always */
    enum osw_state state;                           /* NONE: that of the end */
    void (*say)(const struct osw_evidence *e, char *text, size_t size);
} rules[] = {
    { OSW_FAULT_ENDED,    NULL,           OSW_STATE_NONE,        say_end },
    { OSW_FAULT_NOT_MADE, NULL,           OSW_STATE_SKIPPED,     say_found },
    { OSW_FAULT_DEVICE,   NULL,           OSW_STATE_DEVICE,      say_found },
    { OSW_FAULT_RETURNED, out_of_device_memory, OSW_STATE_OOM,   say_found },
    { OSW_FAULT_RETURNED, device_error,   OSW_STATE_CUDA,        say_found },
    { OSW_FAULT_RETURNED, unsupported,    OSW_STATE_UNSUPPORTED, say_declined },
    { OSW_FAULT_RETURNED, no_memory,      OSW_STATE_OOM,         say_no_memory },
    { OSW_FAULT_RETURNED, NULL,           OSW_STATE_RETURNED,    say_returned },
    { OSW_FAULT_DTYPE,    NULL,           OSW_STATE_DTYPE,       say_found },
    { OSW_FAULT_SHAPE,    NULL,           OSW_STATE_SHAPE,       say_found },
    { OSW_FAULT_REUSED,   NULL,           OSW_STATE_STALE,       say_found },
    { OSW_FAULT_GUARD,    NULL,           OSW_STATE_GUARD,       say_found },
    { OSW_FAULT_MUTATED,  NULL,           OSW_STATE_MUTATED,     say_found },
    { OSW_FAULT_ASYNC,    NULL,           OSW_STATE_ASYNC,       say_changes },
    { ANY,                changing,       OSW_STATE_ASYNC,       say_changes },
    { OSW_FAULT_UNKNOWN,  NULL,           OSW_STATE_UNVERIFIED,  say_found },
    { OSW_FAULT_VALUES,   old_result,     OSW_STATE_STALE,       say_old },
    { OSW_FAULT_VALUES,   poison_is_left, OSW_STATE_UNWRITTEN,   say_unwritten },
    { OSW_FAULT_VALUES,   depends_on_poison, OSW_STATE_VALUE,    say_depends },
    { OSW_FAULT_VALUES,   only_imprecise, OSW_STATE_PRECISION,   say_prefixed },
    { OSW_FAULT_VALUES,   wrong_nan,      OSW_STATE_NAN,         say_prefixed },
    { OSW_FAULT_VALUES,   NULL,           OSW_STATE_VALUE,       say_prefixed },
    { ANY,                differs_by_poison, OSW_STATE_VALUE,      say_depends },
    { ANY,                bits_differ,    OSW_STATE_NONDETERMINISTIC,
                                                                 say_differs },
};
/* clang-format on */

static bool applies(const struct rule *rule, const struct osw_evidence *e)
{
    return (rule->fault == ANY || rule->fault == (int)e->call->fault) &&
           (!rule->applies || rule->applies(e));
}

void osw_verdict_of(const struct osw_evidence *e, struct osw_verdict *out)
{
    *out = (struct osw_verdict){.state = OSW_STATE_NONE};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!applies(&rules[i], e))
            continue;
        out->state = e->call->fault == OSW_FAULT_ENDED ? e->call->end_state
                                                       : rules[i].state;
        out->phase = e->call->fault == OSW_FAULT_NONE ? OSW_PHASE_VERIFY
                                                      : e->call->phase;
        rules[i].say(e, out->text, sizeof(out->text));
        return;
    }
}

void osw_verdict_strengthen(osw_arena_t *memory, int kind, bool weak,
                            struct osw_record *r)
{
    if (r->status_id != OSW_STATE_WEAK || weak ||
        kind == OSW_TRIAL_SPECIAL) /* NaN says nothing about numbers */
        return;
    r->status_id = OSW_STATE_PASS;
    r->phase_id = OSW_PHASE_NONE;
    r->reason = osw_arena_printf(memory, "on its own inputs %s, on others not",
                                 r->reason);
}

/* worker/sandbox/calls.c - op code is called, once or timed */
#include "worker/sandbox/calls.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "common/clock.h"
#include "worker/sandbox/fp_mode.h"
#include "worker/sandbox/heap.h"

/* --- one call --- */

/* Outputs only: what lies between strided elements is the judge's to check. */
static void hash_outputs(struct osw_session *s)
{
    s->device->ops->hash_begin(s->device, 0);
    for (uint32_t i = 0; i < s->result.n_outputs; i++) {
        const struct osw_output *o = &s->result.outputs[i];

        s->device->ops->hash(s->device, s->base + o->offset,
                             (uint64_t)osw_output_extent(o), i);
    }
}

static void restore_inputs(void *arg)
{
    struct osw_session *s = arg;

    for (uint32_t i = 0; i < s->job.n_restores; i++)
        s->device->ops->copy(s->device, s->base + s->job.restores[i].to,
                             s->base + s->job.restores[i].from,
                             s->job.restores[i].bytes);
}

/* Keep what the device says, the first time that it says something. */
static void take_error(struct osw_session *s, int code,
                       const struct osw_error *err)
{
    if (code == 0 || s->result.device_code != 0)
        return;
    s->result.device_code = code;
    snprintf(s->text, sizeof(s->text), "%s", err->text);
}

/* All steps after the call: hash on the op's own stream, wait for other work
 * that the op started, then prepare the results for the judge.
 */
static void finish_call(struct osw_session *s)
{
    const struct osw_device_ops *ops = s->device->ops;
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    take_error(s, ops->error(s->device, &err), &err);
    if (s->result.code == 0)
        hash_outputs(s);
    take_error(s, ops->sync(s->device, &lost, &err), &err);
    osw_session_end_gang_call(s);
    if (!lost) {
        s->result.hash = s->result.code == 0 ? ops->hash_sum(s->device, 0) : 0;
        osw_session_copy_out(s);
        take_error(s, ops->sync(s->device, &lost, &err), &err);
    }
    s->result.lost = lost;
}

static bool is_size(double v)
{
    return isfinite(v) && v >= 0;
}

/* Sizes that cannot be are an error of the code, as if the call returned it. */
static void ask_work(struct osw_session *s)
{
    osw_work work = {.size = sizeof(work)};
    char words[160];

    if (s->host->work(s->host_state, &s->call, &work) != 0)
        return;
    if (!is_size(work.bytes) || !is_size(work.flops)) {
        snprintf(words, sizeof(words),
                 "its function _work set bytes to %g and flops to %g: expected "
                 "finite numbers from 0 on",
                 work.bytes, work.flops);
        s->result.code = osw_error(&s->call, words);
        return;
    }
    s->result.bytes = work.bytes;
    s->result.flops = work.flops;
}

/* What it returned becomes outputs, where the runner did not give them. */
static int collect(void *arg)
{
    struct osw_session *s = arg;

    return s->host->collect ? s->host->collect(s->host_state, &s->call) : 0;
}

/* What comes before a call, of the op or of its prepare. */
static void begin_run(struct osw_session *s)
{
    s->poison_scratch = true;
    s->unhashed = false;
    if (!s->reference)
        osw_heap_fill(s->job.pattern);
    osw_session_begin_call(s);
    osw_session_watch_workspace(s);
    osw_session_copy_in(s);
    s->result.hash = 0;
    s->result.call_ns = 0;
}

/* Call it after begin_run; false when it failed. */
static bool prepare(struct osw_session *s)
{
    void *op_state = NULL;

    s->result.code = s->host->prepare(s->host_state, &s->call, &op_state);
    s->call.state = op_state;
    s->has_workspace = false; /* the call has a piece of its own */
    s->result.late = s->result.code != 0;
    return !s->result.late;
}

/* Native code leaves the mode as it was: the caller's arithmetic depends on it.
 * In Python, libraries set it at their first use.
 */
static void keep_fp_mode(struct osw_session *s, uint64_t before)
{
    uint64_t after = osw_fp_mode();

    if (after == before || s->host->collect)
        return;
    osw_fp_set_mode(before);
    if (s->result.code != 0 || s->reference)
        return;
    s->result.code = OSW_ERROR;
    snprintf(s->text, sizeof(s->text),
             "left rounding, subnormal or trap mode changed: control register "
             "%#" PRIx64 " after the call, %#" PRIx64 " before it",
             after, before);
}

/* Code has no way to declare tensors of lists: they are what is expected. */
static void add_lists(struct osw_session *s)
{
    for (uint32_t i = s->result.n_outputs; i < s->job.n_expected; i++) {
        int32_t alias = s->job.expected[i].alias;
        uint32_t arg = alias < 0 ? UINT32_MAX : osw_output_alias_arg(alias);

        if (arg >= s->call.n_args || s->call.args[arg].tag != OSW_ARG_LIST ||
            !osw_session_alias(s, (int)i, alias))
            return;
    }
}

/* Call it after begin_run. */
static void call_op(struct osw_session *s)
{
    uint64_t n_messages = s->gang.n_messages, fp_mode = osw_fp_mode();

    s->result.code = s->host->run(s->host_state, &s->call);
    keep_fp_mode(s, fp_mode);
    if (s->result.code == 0)
        s->result.code = collect(s);
    if (s->result.code == 0)
        add_lists(s);
    s->has_messages = s->gang.n_messages > n_messages;
}

static int64_t cpu_ns(void)
{
    struct timespec t = {0, 0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Other processes make a call of host code look longer than it is: it takes no
 * longer than its processor time, unless it waits for something.
 */
void osw_calls_again(struct osw_session *s)
{
    int64_t t0, cpu;

    begin_run(s);
    cpu = cpu_ns();
    t0 = osw_clock_ns();
    call_op(s);
    finish_call(s);
    s->result.call_ns = osw_clock_ns() - t0;
    cpu = cpu_ns() - cpu;
    if (!s->device->ops->own_memory && cpu < s->result.call_ns)
        s->result.call_ns = cpu;
    if (s->result.code == 0)
        ask_work(s);
}

void osw_calls_meta(struct osw_session *s)
{
    s->meta = true;
    osw_session_begin_call(s);
    s->result.call_ns = 0;
    s->result.hash = 0;
    s->result.code = s->host->meta(s->host_state, &s->call);
    if (s->result.code == 0)
        ask_work(s);
    s->meta = false;
}

void osw_calls_draw(struct osw_session *s)
{
    osw_session_begin_call(s);
    s->result.call_ns = 0;
    s->result.hash = 0;
    s->result.code =
        s->host->draw ? s->host->draw(s->host_state, &s->call, &s->result.hash)
                      : OSW_UNSUPPORTED;
}

void osw_calls_first(struct osw_session *s)
{
    begin_run(s);
    if (prepare(s))
        osw_calls_again(s);
}

/* One call; after it on the stream the copy of its outputs, and their hash.
 * Does not wait.
 */
void osw_calls_step(struct osw_session *s, uint32_t slot, bool again)
{
    struct osw_error err = OSW_ERROR_INIT;

    begin_run(s);
    if (!again && !prepare(s))
        return;
    call_op(s);
    take_error(s, s->device->ops->error(s->device, &err), &err);
    if (s->result.code != 0)
        return;
    ask_work(s);
    if (s->result.code != 0)
        return;
    osw_session_hash_out(s, slot);
}

/* --- timed calls --- */

static int call_again(void *arg)
{
    struct osw_session *s = arg;

    s->cursor = s->job.spill;
    s->scratch_used = 0;
    s->has_workspace = false;
    s->result.n_outputs = 0;
    return s->host->run(s->host_state, &s->call);
}

static void begin_sample(void *arg)
{
    restore_inputs(arg);
    osw_session_meet_gang(arg);
}

_Static_assert(OSW_PROTOCOL_MAX_SAMPLES % OSW_TIMING_GRAPH_SAMPLES == 0,
               "whole launches fit into a reply");

/* A result that is computed when it is looked at took that time, too: each
 * call left it undone.
 */
static void charge_late(const struct osw_session *s, struct osw_time_reply *out)
{
    for (uint32_t i = 0; s->late_ns > 0 && i < out->n; i++)
        out->samples[i] += (float)s->late_ns;
}

static void take_samples(struct osw_session *s,
                         const struct osw_time_request *ask,
                         struct osw_time_reply *out)
{
    const struct osw_device_ops *ops = s->device->ops;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_timing timing = {
        .n_samples =
            ops->own_memory ? osw_timing_whole(ask->n_samples) : ask->n_samples,
        .n_inner = ask->n_inner,
        .cold = ask->cold,
        .wall = ask->wall,
        .live = ask->live || s->host->collect != NULL || s->has_messages,
        .waits = s->gang.base != NULL, /* no member repeats a sample alone */
        .key = s->n_cases,
        .edits = ask->edits,
        .base = s->base,
        .stamps = ask->stamped ? s->stamps : NULL,
        .before = begin_sample,
        .call = call_again,
        .after = collect,
        .arg = s,
    };
    int code;

    out->lost = false;
    s->late_ns = 0;
    out->timer = (uint8_t)ops->time(s->device, &timing, out->samples, &code);
    out->code = code;
    out->n = out->timer == OSW_TIMER_NONE ? 0 : ask->n_samples;
    if (out->timer != OSW_TIMER_NONE) {
        charge_late(s, out);
        return;
    }
    s->result.device_code = 0;
    take_error(s, ops->sync(s->device, &out->lost, &err), &err);
    if (code == -1 && s->result.device_code == 0)
        out->code = OSW_ERROR;
}

/* Hash the outputs of timed calls, after the last one. */
void osw_calls_hash(struct osw_session *s)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool lost;

    hash_outputs(s);
    (void)s->device->ops->sync(s->device, &lost, &err);
    s->result.hash = s->device->ops->hash_sum(s->device, 0);
}

void osw_calls_time(struct osw_session *s, const struct osw_time_request *ask,
                    struct osw_time_reply *out)
{
    uint32_t n_outputs = s->result.n_outputs;
    uint64_t cursor = s->cursor;

    s->poison_scratch = false;
    osw_heap_leave();
    osw_session_begin_call(s);
    if (ask->refresh)
        osw_session_copy_in(s);
    take_samples(s, ask, out);
    if (s->result.n_outputs == 0) { /* all calls came from a captured graph */
        s->result.n_outputs = n_outputs;
        s->cursor = cursor;
    }
    add_lists(s);
    s->unhashed = !ask->refresh;
    if (ask->refresh)
        osw_calls_hash(s);
}

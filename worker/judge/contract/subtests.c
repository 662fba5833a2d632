/* worker/judge/contract/subtests.c - what the op contract asks beyond verdicts,
 * one function each */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "worker/judge/contract/subject.h"
#include "worker/judge/process/watch.h"

enum {
    WARM_CYCLES = 16, /* of prepare and finish, before memory is looked at */
    CYCLES = 256,     /* after them, at most */
    LEAK_BYTES = 256 * 1024 /* of all, told from what heaps do anyway */
};
#define CYCLES_NS INT64_C(2000000000)

#define OK(name, ...)                                                          \
    osw_subject_settle(s, OSW_SUBTEST_##name, OSW_SUBTEST_WAS_OK, __VA_ARGS__)
#define FAILED(name, ...)                                                      \
    osw_subject_settle(s, OSW_SUBTEST_##name, OSW_SUBTEST_WAS_FAILED,          \
                       __VA_ARGS__)
#define SKIPPED(name, ...)                                                     \
    osw_subject_settle(s, OSW_SUBTEST_##name, OSW_SUBTEST_WAS_SKIPPED,         \
                       __VA_ARGS__)

/* --- schema --- */

static const struct osw_schema_arg *
arg_of_alias(const struct osw_schema *schema, const char *alias)
{
    for (uint32_t i = 0; i < schema->n_args; i++)
        if (schema->args[i].type.alias &&
            strcmp(schema->args[i].type.alias, alias) == 0)
            return &schema->args[i];
    return NULL;
}

static bool is_plain(const struct osw_type *type)
{
    return type->base == OSW_TYPE_TENSOR && !type->list && !type->optional;
}

/* What a native op writes without returning it is an output after those of
 * the schema.
 */
static bool only_returns(const struct osw_schema *schema,
                         const struct osw_oracle_result *r)
{
    bool fits = r->n_outputs >= schema->n_returns;

    for (uint32_t i = schema->n_returns; fits && i < r->n_outputs; i++) {
        int32_t alias = r->outputs[i].as_run.alias;
        uint32_t at = osw_output_alias_arg(alias);

        fits = alias >= 0 && at < schema->n_args && schema->args[at].written;
    }
    return fits;
}

/* Are outputs new where the schema returns new tensors, and arguments where it
 * returns arguments?  False: FAILED is settled.
 */
static bool outputs_fit(struct osw_subject *s, const struct osw_schema *schema)
{
    const struct osw_oracle_result *r = &s->real;
    bool plain = schema->n_returns > 0;

    for (uint32_t i = 0; i < schema->n_returns; i++)
        plain = plain && is_plain(&schema->returns[i].type);
    if (plain && !only_returns(schema, r)) {
        FAILED(SCHEMA, "the schema returns %u tensor%s, the run made %u",
               schema->n_returns, osw_plural(schema->n_returns), r->n_outputs);
        return false;
    }
    for (uint32_t i = 0; i < r->n_outputs; i++) {
        bool returned = plain && i < schema->n_returns;
        const char *alias = returned ? schema->returns[i].type.alias : NULL;
        const struct osw_schema_arg *want =
            alias ? arg_of_alias(schema, alias) : NULL;
        int32_t is = r->outputs[i].as_run.alias;
        uint32_t at = osw_output_alias_arg(is);
        const struct osw_schema_arg *got =
            is >= 0 && at < schema->n_args ? &schema->args[at] : NULL;

        if (want && want->written && want != got) {
            FAILED(SCHEMA,
                   "output %u is %s%s%s, the schema returns argument '%s' (%s)",
                   i, got ? "argument '" : "new memory", got ? got->name : "",
                   got ? "'" : "", want->name, alias);
            return false;
        }
        if (got && got != want && (returned || !got->written)) {
            FAILED(SCHEMA,
                   "output %u is argument '%s', which the schema does not say",
                   i, got->name);
            return false;
        }
    }
    return true;
}

/* After the first call in its process; the zone is as that call left it. */
static void test_schema(struct osw_subject *s)
{
    const struct osw_schema *schema = s->judge->op.schema;
    bool own_outputs = s->sandbox->traits.own_outputs;
    struct osw_trespass trespass;

    if (!schema && own_outputs) {
        SKIPPED(SCHEMA, "op.json has no schema");
        return;
    }
    if (schema && !own_outputs && !outputs_fit(s, schema))
        return;
    if (!schema)
        osw_oracle_mark_written(&s->real, &s->given);
    if (s->sandbox->zone != s->given.place->zone) {
        SKIPPED(SCHEMA, "inputs too large for code of the host");
        return;
    }
    osw_trial_compare(&s->given,
                      osw_sandbox_zone(s->sandbox, s->sandbox->zone).base,
                      &trespass);
    if (trespass.any)
        FAILED(SCHEMA, "%s%s", trespass.text,
               trespass.input && schema
                   ? ", which the schema does not say is written"
                   : "");
    else
        OK(SCHEMA, "%s",
           schema ? own_outputs ? "writes only what the schema says"
                                : "writes and aliases what the schema says"
                  : "no schema; writes only what outputs alias");
}

/* --- meta --- */

static void print_output(char *out, size_t size, const struct osw_output *o)
{
    int n = snprintf(out, size, "%s [", osw_dtype_info((int)o->dtype)->name);
    size_t used = n > 0 ? (size_t)n : 0;

    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->shape[d]);
    if (used < size)
        used += (size_t)snprintf(out + used, size - used, "] strides [");
    for (int32_t d = 0; d < o->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld",
                                 d ? ", " : "", (long long)o->strides[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

static bool same(const struct osw_output *a, const struct osw_output *b)
{
    size_t bytes = sizeof(a->shape[0]) * (size_t)a->ndim;

    return a->dtype == b->dtype && a->ndim == b->ndim && a->alias == b->alias &&
           memcmp(a->shape, b->shape, bytes) == 0 &&
           memcmp(a->strides, b->strides, bytes) == 0;
}

/* Does it declare what was made?  False: FAILED is settled. */
static bool hold_against(struct osw_subject *s,
                         const struct osw_oracle_result *meta,
                         const struct osw_oracle_result *real)
{
    char a[256], b[256];

    if (meta->n_outputs != real->n_outputs) {
        FAILED(META, "_meta declares %u outputs, the run made %u",
               meta->n_outputs, real->n_outputs);
        return false;
    }
    for (uint32_t i = 0; i < real->n_outputs; i++) {
        const struct osw_output *m = &meta->outputs[i].as_run;
        const struct osw_output *r = &real->outputs[i].as_run;

        if (same(m, r))
            continue;
        print_output(a, sizeof(a), m);
        print_output(b, sizeof(b), r);
        FAILED(META, "_meta declares output %u as %s%s, the run made %s%s", i,
               a, m->alias >= 0 ? " (alias)" : "", b,
               r->alias >= 0 ? " (alias)" : "");
        return false;
    }
    return true;
}

static bool meta_fits(struct osw_subject *s, struct osw_trial *t,
                      const struct osw_oracle_result *real)
{
    struct osw_oracle_result meta;
    struct osw_oracle_job job = osw_subject_job(s, t);

    job.meta_only = true;
    osw_oracle_run(&job, &meta);
    if (meta.state == OSW_STATE_NONE)
        return hold_against(s, &meta, real);
    FAILED(META, "_meta: %s", meta.text);
    return false;
}

static void test_meta(struct osw_subject *s)
{
    struct osw_oracle_result real;
    struct osw_subject_made made;

    if (!s->out->has_meta) {
        SKIPPED(META, s->sandbox->traits.own_outputs ? "not for Python"
                                                     : "exports no _meta");
        return;
    }
    if (!meta_fits(s, &s->given, &s->real))
        return;
    if (s->has_other) {
        osw_subject_call(s, &s->other, &real, &made);
        if (made.ran && !meta_fits(s, &s->other, &real))
            return;
    }
    OK(META, "declares dtypes, shapes, strides and aliases of %s",
       s->has_other && made.ran ? "2 cases" : "the case");
}

/* --- several shapes in one process --- */

/* Another case before it changes nothing about a case: as in a process that
 * has seen nothing else.
 */
static void test_shapes(struct osw_subject *s)
{
    struct osw_oracle_result unused;
    struct osw_subject_made a, again, b, after, fresh;

    if (!s->has_other) {
        SKIPPED(SHAPES, "the folder has no case of other sizes");
        return;
    }
    osw_subject_load_fresh(s);
    osw_subject_call(s, &s->given, &unused, &a);
    osw_subject_call(s, &s->given, &unused, &again);
    osw_subject_call(s, &s->other, &unused, &b);
    osw_subject_call(s, &s->given, &unused, &after);
    osw_subject_load_fresh(s);
    osw_subject_call(s, &s->other, &unused, &fresh);
    if (!a.ran || !again.ran)
        FAILED(SHAPES, "the case, called twice: %s",
               a.ran ? again.text : a.text);
    else if (!fresh.ran && !b.ran && after.ran)
        SKIPPED(SHAPES, "the case of other sizes is not supported: %s",
                fresh.text);
    else if (!fresh.ran)
        FAILED(SHAPES, "the case of other sizes: %s", fresh.text);
    else if (!b.ran)
        FAILED(SHAPES,
               "the case of other sizes runs in a fresh process, but not after "
               "this one: %s",
               b.text);
    else if (!after.ran)
        FAILED(SHAPES, "the case does not run after one of other sizes: %s",
               after.text);
    else if (!a.comparable || !b.comparable)
        SKIPPED(SHAPES, "outputs with gaps are not compared");
    else if (a.bits != again.bits)
        SKIPPED(SHAPES, "two calls of one case differ in their bits");
    else if (after.bits != a.bits)
        FAILED(SHAPES, "the case has other bits after a case of other sizes");
    else if (fresh.bits != b.bits)
        FAILED(SHAPES, "a case of other sizes has other bits after this case "
                       "than in a fresh process");
    else
        OK(SHAPES, "the same bits in one process and in fresh ones");
}

/* --- capture --- */

/* Make a timed call and return how it was made and its outputs; false: it
 * failed, with the reason in text.
 */
static bool replay(struct osw_subject *s, enum osw_timer *timer,
                   struct osw_subject_made *out)
{
    const struct osw_time_request ask = {.n_samples = 2, .n_inner = 1};
    struct osw_oracle_job job = osw_subject_job(s, &s->given);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_oracle_result result = {.text = ""};
    struct osw_time_reply *reply =
        osw_arena_array(s->judge->case_memory, 1, sizeof(*reply));
    struct osw_writer w = osw_sandbox_writer(s->sandbox);
    const char *why = NULL;
    struct osw_reader r;

    if (!reply)
        return false;
    osw_protocol_put_time(&w, &ask);
    if (osw_sandbox_send(s->sandbox, &w) < 0 ||
        osw_sandbox_receive(s->sandbox, OSW_TALK_SAMPLES,
                            OSW_SUBJECT_DEADLINE_NS, &r) < 0)
        why = s->sandbox->end.text;
    else if (osw_protocol_get_samples(&r, reply, &err) < 0)
        why = err.text;
    else if (reply->code != 0)
        why = reply->text;
    else if (osw_sandbox_look(s->sandbox, OSW_SUBJECT_DEADLINE_NS) < 0)
        why = s->sandbox->end.text;
    else
        osw_oracle_take(&job, &s->sandbox->result,
                        osw_sandbox_zone(s->sandbox, s->sandbox->zone),
                        &result);
    *timer = reply->timer;
    out->ran = !why && result.state == OSW_STATE_NONE;
    snprintf(out->text, sizeof(out->text), "%s", why ? why : result.text);
    if (out->ran)
        osw_subject_bits(s->given.place, &result, out);
    return !why;
}

static void test_capture(struct osw_subject *s)
{
    struct osw_subject_made a = {.ran = false}, again = a, replayed = a;
    enum osw_timer timer = OSW_TIMER_NONE;
    struct osw_oracle_result unused;

    if (s->judge->device->ops->dl_type != OSW_CUDA) {
        SKIPPED(CAPTURE, "needs --device cuda");
        return;
    }
    if (s->reference || s->sandbox->traits.own_outputs) {
        SKIPPED(CAPTURE, "%s are called one by one",
                s->reference ? "references" : "files in Python");
        return;
    }
    osw_subject_call(s, &s->given, &unused, &a);
    osw_oracle_mark_written(&unused, &s->given); /* restored from now on */
    osw_subject_call(s, &s->given, &unused, &again);
    if (!a.ran || !again.ran)
        FAILED(CAPTURE, "%s", a.ran ? again.text : a.text);
    else if (!replay(s, &timer, &replayed))
        FAILED(CAPTURE, "%s", replayed.text);
    else if (timer != OSW_TIMER_GRAPH)
        FAILED(CAPTURE, "a call cannot be captured into a graph");
    else if (!replayed.ran)
        FAILED(CAPTURE, "replayed from a graph: %s", replayed.text);
    else if (a.comparable && a.bits == again.bits && a.bits != replayed.bits)
        FAILED(CAPTURE, "replayed from a graph it makes other bits");
    else
        OK(CAPTURE, "captured into a graph and replayed%s",
           a.comparable && a.bits == again.bits ? ", same bits" : "");
}

/* --- prepare and finish --- */

/* Call case after case, at most n, for about CYCLES_NS.  Returns how many ran;
 * -1: one failed.
 */
static int cycle(struct osw_subject *s, int n, struct osw_subject_made *made)
{
    struct osw_oracle_result unused;
    int64_t until = osw_clock_ns() + CYCLES_NS;
    int i = 0;

    while (i < n && (i < WARM_CYCLES || osw_clock_ns() < until)) {
        osw_subject_call(s, &s->given, &unused, made);
        if (!made->ran)
            return -1;
        i++;
    }
    return i;
}

static void test_cycles(struct osw_subject *s)
{
    uint64_t before = osw_watch_mapped(s->sandbox->pid), grown;
    struct osw_subject_made made;
    int n = cycle(s, CYCLES, &made);

    grown = osw_watch_mapped(s->sandbox->pid) - before;
    if (n < 0)
        FAILED(PREPARE, "case after case: %s", made.text);
    else if (grown < INT64_MAX && grown >= LEAK_BYTES)
        FAILED(PREPARE, "memory of the host grows by %llu KiB over %d cases",
               (unsigned long long)grown / 1024, n);
    else
        OK(PREPARE,
           "%d cases, memory of the host grows by less than %d bytes each", n,
           LEAK_BYTES / n);
}

static void test_prepare(struct osw_subject *s)
{
    const struct osw_contract *k = s->out;
    struct osw_subject_made made;

    if (!k->has_prepare && !k->has_finish)
        SKIPPED(PREPARE, s->sandbox->traits.own_outputs
                             ? "not for Python"
                             : "exports no _prepare");
    else if (!k->has_prepare)
        FAILED(PREPARE, "exports _finish without _prepare: it is never called");
    else if (cycle(s, WARM_CYCLES, &made) < 0)
        FAILED(PREPARE, "case after case: %s", made.text);
    else if (s->sandbox->result.has_state && !k->has_finish)
        FAILED(PREPARE, "_prepare leaves a state that no _finish takes back");
    else if (!s->sandbox->result.has_state && k->has_finish)
        FAILED(PREPARE, "_prepare leaves no state: _finish is never called");
    else
        test_cycles(s);
}
/* --- all of it --- */

/* Each on a process of its own where the one before it ended it. */
void osw_subtests_run(struct osw_subject *s)
{
    static void (*const tests[])(struct osw_subject * s) = {
        test_schema, test_meta, test_capture, test_prepare, test_shapes,
    };

    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (!s->sandbox || !osw_sandbox_alive(s->sandbox))
            osw_subject_load_fresh(s);
        if (!s->sandbox)
            return;
        tests[i](s);
    }
}

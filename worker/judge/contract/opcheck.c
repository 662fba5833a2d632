/* worker/judge/contract/opcheck.c - what torch itself checks of a registered
 * operator */
#include "worker/judge/contract/contract.h"
#include "worker/worker.h"

#include <stdio.h>
#include <string.h>

#include "ops/catalog/op_own.h"
#include "ops/catalog/op_registered.h"

/* The first call compiles, for the last of them. */
#define DEADLINE_NS INT64_C(300000000000)

static const char *const tests[] = {
    "test_schema",     "test_autograd_registration",
    "test_faketensor", "test_aot_dispatch_dynamic",
    "torch_compile",
};

/* What the first byte of its words means. */
static const struct {
    char byte;
    enum osw_subtest_state state;
} states[] = {
    {'o', OSW_SUBTEST_WAS_OK},
    {'F', OSW_SUBTEST_WAS_FAILED},
    {'s', OSW_SUBTEST_WAS_SKIPPED},
};

const char *osw_opcheck_name(size_t i)
{
    return i < sizeof(tests) / sizeof(tests[0]) ? tests[i] : NULL;
}

static void fail(struct osw_subtest *out, const char *text)
{
    out->state = OSW_SUBTEST_WAS_FAILED;
    snprintf(out->text, sizeof(out->text), "%s", text);
}

/* The words, from the judge's own memory. */
static void read_words(const struct osw_trial *trial,
                       const struct osw_oracle_result *result,
                       struct osw_subtest *out)
{
    const struct osw_oracle_output *o = result->outputs;
    const struct osw_place *place = trial->place;
    char words[sizeof(out->text)] = "";
    uint64_t n;

    if (result->n_outputs != 1 || o->as_run.dtype != OSW_U8 ||
        o->as_run.ndim != 1 || o->as_run.shape[0] < 1) {
        fail(out, "its process said nothing");
        return;
    }
    n = (uint64_t)o->as_run.shape[0];
    if (n > sizeof(words) - 1)
        n = sizeof(words) - 1;
    place->ops->copy(place->device, words, o->want.view.data, n);
    fail(out, words + 1);
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if (states[i].byte == words[0])
            out->state = states[i].state;
}

/* Have file osw_judge_checker be that test of the operator.  Importing takes
 * longer than the tests: one process has them all, until one of them fails.
 */
static int choose(struct osw_judge *judge, const char *impl, const char *test,
                  struct osw_error *err)
{
    const char *symbol = osw_arena_printf(
        judge->op_memory, "%s!%s", osw_op_impl(&judge->op, impl)->symbol, test);
    const struct osw_op_file *file =
        symbol ? osw_op_own_file(judge->op_memory, "opcheck",
                                 "opsweep_opcheck.py", symbol, err)
               : NULL;

    if (!file)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a test");
    judge->checker = *file;
    judge->checker.shared = true;
    judge->built[osw_judge_checker(judge)] =
        (struct osw_judge_built){.done = false};
    return 0;
}

int osw_worker_opcheck(osw_worker_t *worker, const struct osw_bundle *bundle,
                       const char *impl, size_t i, struct osw_subtest *out,
                       struct osw_error *err)
{
    struct osw_judge *judge = &worker->judge;
    struct osw_oracle_result result;
    struct osw_trial trial;
    struct osw_sandbox *sandbox;
    struct osw_oracle_job job;
    enum osw_state state;
    char text[sizeof(out->text)];
    int64_t ns = 0;

    if (osw_judge_begin_trial(judge, bundle, &trial, err) < 0)
        return -1;
    if (!osw_op_registered_is(&judge->op, impl))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is no operator registered with torch", impl);
    if (choose(judge, impl, tests[i], err) < 0)
        return -1;
    sandbox = osw_judge_sandbox(judge, osw_judge_checker(judge), &ns, &state,
                                text, sizeof(text));
    if (!sandbox) {
        fail(out, text);
        return 0;
    }
    job = osw_contract_job(judge, sandbox, &trial, DEADLINE_NS);
    sandbox->pinned = true;
    osw_oracle_run(&job, &result);
    sandbox->pinned = false;
    if (result.state == OSW_STATE_NONE)
        read_words(&trial, &result, out);
    else
        fail(out, osw_contract_words(result.text));
    if (out->state == OSW_SUBTEST_WAS_FAILED || !osw_opcheck_name(i + 1))
        osw_pool_drop(&judge->pool, sandbox->id);
    return 0;
}

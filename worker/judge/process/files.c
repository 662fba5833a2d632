/* worker/judge/process/files.c - an op's files: built, loaded */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/death.h"
#include "ops/build/build_cache.h"
#include "ops/catalog/baselines.h"
#include "ops/catalog/op_load.h"
#include "ops/catalog/op_own.h"
#include "ops/inputs/trials.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/judge.h"

/* The first pause before another sandbox is tried; each is twice as long. */
#define PAUSE_NS INT64_C(100000000)
enum { PAUSE_POLL_US = 5000, TRIES = 5 };

/* Inputs beside the cases' own that it may be judged on. */
static uint32_t trials(void)
{
    uint32_t all = 0;

#define X(bit, NAME, text) all |= (uint32_t)OSW_CHECKS(NAME) << (bit);
    OSW_TRIAL_MAP(X)
#undef X
    return all;
}

/* Samples of torch's op database: the same for all ops. */
static struct osw_op_file samples_of(const struct osw_judge *judge,
                                     struct osw_error *err)
{
    return (struct osw_op_file){
        .name = "op_db",
        .file = "opsweep_opinfo.py",
        .path = osw_op_own_path(judge->op_memory, "opsweep_opinfo.py", err),
        .words = "",
        .symbol = "",
        .shared = true,
        .language = osw_language_of("opsweep_opinfo.py"),
    };
}

void osw_judge_forget_op(struct osw_judge *judge)
{
    osw_pool_turn(&judge->pool); /* a worker works on one op at a time */
    judge->op_dir = NULL;
}

int osw_judge_load_op(struct osw_judge *judge, const char *dir,
                      struct osw_error *err)
{
    if (judge->op_dir && strcmp(judge->op_dir, dir) == 0)
        return 0;
    osw_judge_forget_op(judge);
    judge->batch_pause = judge->batch_wait = 0;
    judge->reference_slow = judge->warm_up_made = false;
    judge->warm_up = NULL;
    osw_arena_reset(judge->op_memory);
    if (osw_op_load(judge->op_memory, dir, judge->config.device, &judge->op,
                    err) < 0)
        return -1;
    judge->op.trials &= trials();
    judge->generator = (struct osw_op_file){
        .name = "gen_input",
        .file = "gen_input.py",
        .path = judge->op.cases_py,
        .words = "",
        .language = osw_language_of("gen_input.py"),
    };
    judge->samples = samples_of(judge, err);
    judge->built = osw_arena_array(judge->op_memory, judge->op.n_impls + 5,
                                   sizeof(*judge->built));
    judge->tried = osw_arena_array(judge->op_memory, judge->op.n_impls,
                                   sizeof(*judge->tried));
    judge->op_dir = osw_arena_strdup(judge->op_memory, dir);
    if (!judge->built || !judge->tried || !judge->op_dir ||
        !judge->samples.path) {
        judge->op_dir = NULL;
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
    }
    return 0;
}

static const struct osw_op_file *file_at(const struct osw_judge *judge,
                                         size_t index)
{
    if (index < judge->op.n_impls)
        return &judge->op.impls[index];
    if (index == osw_judge_generator(judge, 0))
        return &judge->generator;
    if (index == osw_judge_checker(judge))
        return &judge->checker;
    if (index == osw_judge_generator(judge, OSW_OPINFO_FIRST))
        return &judge->samples;
    return index == judge->op.n_impls ? judge->op.reference
                                      : judge->op.host_reference;
}

static bool makes_cases(const struct osw_judge *judge,
                        const struct osw_op_file *file)
{
    return file == &judge->generator || file == &judge->samples;
}

/* Code of the host, beside a device that it cannot reach. */
static bool runs_on_host(const struct osw_judge *judge,
                         const struct osw_op_file *file)
{
    return (file->language->host || makes_cases(judge, file)) &&
           judge->device->ops->dl_type != OSW_CPU;
}

static struct osw_build_request build_request(const struct osw_judge *judge,
                                              const struct osw_op_file *file)
{
    return (struct osw_build_request){
        .source = file->path,
        .words = file->words,
        .target = file->language->host ? NULL : judge->device->target,
        .include_dir = judge->config.include_dir,
        .cache_dir = judge->config.cache_dir,
        .objects_dir = judge->config.objects_dir,
        .share = judge->config.share,
        .since_unix_ns = judge->config.since_unix_ns,
        .tick = judge->config.tick,
        .tick_arg = judge->config.tick_arg,
    };
}

/* A build that failed, where no build can succeed. */
static void doubt_cache(struct osw_judge *judge, bool failed, bool cached)
{
    if (failed && !cached && judge->unable.status == OSW_OK)
        (void)!osw_build_cache_check(judge->config.cache_dir, &judge->unable);
}

/* Is file `index` of the op one of this bundle's, its baseline or `reference`?
 */
static bool is_wanted(const struct osw_op *op, const struct osw_bundle *b,
                      size_t reference, size_t index)
{
    if (index >= op->n_impls || index == reference)
        return index == reference && op->oracle != OSW_ORACLE_IDENTITY;
    if (osw_baselines_rank(b->baselines, op->impls[index].name) >= 0)
        return true;
    for (uint32_t k = 0; k < b->n_impls; k++)
        if (strcmp(op->impls[index].name, b->impls[k]) == 0)
            return true;
    return false;
}

int64_t osw_judge_build_ahead(struct osw_judge *judge, osw_arena_t *memory,
                              const struct osw_bundle *bundle, size_t reference)
{
    const struct osw_op *op = &judge->op;
    size_t n = op->n_impls + 2, used = 0;
    struct osw_build_request *requests =
        osw_arena_array(memory, n, sizeof(*requests));
    struct osw_build_result *results =
        osw_arena_array(memory, n, sizeof(*results));
    size_t *index = osw_arena_array(memory, n, sizeof(*index));
    int64_t t0 = osw_clock_ns();

    if (!requests || !results || !index)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const struct osw_op_file *file = file_at(judge, i);

        if (!file || judge->built[i].done ||
            !is_wanted(op, bundle, reference, i))
            continue;
        index[used] = i;
        requests[used++] = build_request(judge, file);
    }
    if (used < 2 || osw_build_get_all(requests, results, used,
                                      judge->pool.env.n_threads, NULL) < 0)
        return 0;
    for (size_t i = 0; i < used; i++) {
        judge->built[index[i]].result = results[i];
        judge->built[index[i]].done = true;
        doubt_cache(judge, results[i].failed, results[i].cached);
    }
    return osw_clock_ns() - t0;
}

static int build(struct osw_judge *judge, size_t index, struct osw_error *err)
{
    struct osw_judge_built *built = &judge->built[index];
    struct osw_build_request request =
        build_request(judge, file_at(judge, index));

    if (built->done)
        return 0;
    if (osw_build_get(&request, &built->result, err) < 0) {
        doubt_cache(judge, true, false);
        return -1;
    }
    built->done = true;
    doubt_cache(judge, built->result.failed, built->result.cached);
    return 0;
}

int64_t osw_judge_load_deadline(const struct osw_judge *judge)
{
    return judge->config.deadline_ns > OSW_JUDGE_DEADLINE_NS
               ? judge->config.deadline_ns
               : OSW_JUDGE_DEADLINE_NS;
}

static void pause_until(struct osw_judge *judge, int64_t end_ns)
{
    while (osw_clock_ns() < end_ns) {
        if (judge->config.tick)
            judge->config.tick(judge->config.tick_arg);
        usleep(PAUSE_POLL_US);
    }
}

/* A sandbox that ends before it is given a file had too little memory, or its
 * device was just broken by another one.  The next sandbox may start, a while
 * later, if idle ones are ended.
 */
static void make_way(struct osw_judge *judge, uint32_t n_tried)
{
    if (osw_judge_is_short(judge)) {
        while (osw_pool_shrink(&judge->pool, NULL))
            ;
        if (n_tried == 0)
            osw_judge_await_room(judge);
    }
    pause_until(judge, osw_clock_ns() + (PAUSE_NS << n_tried));
}

/* A launcher that ends a job kills its processes one after the other, sandboxes
 * before their worker.  A sandbox that replaces another one meanwhile is killed
 * as well, and the code in it would be blamed.  So wait until the worker would
 * be dead, too.
 */
static void outlive_killer(struct osw_judge *judge)
{
    struct osw_pool *pool = &judge->pool;

    osw_pool_sweep(pool);
    if (pool->killed_ns)
        pause_until(judge, pool->killed_ns + OSW_DEATH_KILLS_NS);
}

/* Is it worth another try?  Yes if the sandbox was killed from outside or had
 * no memory: that is not the file's fault.  No after the deadline, which is
 * long enough, or if no sandbox of the kind starts: then one try is enough.
 */
static bool may_try_again(const struct osw_judge *judge,
                          const struct osw_sandbox_end *end, bool none_starts,
                          uint32_t n_tried)
{
    if (end->early && end->state != OSW_STATE_TIMEOUT)
        return n_tried + 1 < TRIES && !none_starts;
    return n_tried == 0 &&
           (end->signal == SIGKILL || osw_judge_is_short(judge));
}

/* As osw_pool_get. */
static struct osw_sandbox *get_sandbox(struct osw_judge *judge,
                                       const struct osw_load *load,
                                       const char *source,
                                       struct osw_sandbox_end *end,
                                       struct osw_error *err)
{
    bool *none_starts = osw_pool_none_starts(&judge->pool, load);

    outlive_killer(judge);
    for (uint32_t i = 0;; i++) {
        struct osw_error why = OSW_ERROR_INIT;
        struct osw_sandbox *sandbox =
            osw_pool_get(&judge->pool, load, source,
                         osw_judge_load_deadline(judge), end, &why);

        if (sandbox || !may_try_again(judge, end, *none_starts, i)) {
            *none_starts = *none_starts || (!sandbox && end->early);
            *err = why;
            return sandbox;
        }
        make_way(judge, i);
    }
}

/* The state when it is not loaded: the file's fault, or lack of a sandbox or of
 * memory?
 */
static enum osw_state charged(const struct osw_judge *judge, bool early)
{
    return early || osw_judge_is_short(judge) ? OSW_STATE_DEVICE
                                              : OSW_STATE_LOAD;
}

/* A file that cannot be loaded, or that hangs while it is loaded, is not tried
 * again for every case: each try may take long.
 */
static struct osw_sandbox *load_or_refuse(struct osw_judge *judge, size_t index,
                                          const struct osw_load *load,
                                          enum osw_state *state, char *text,
                                          size_t size)
{
    struct osw_judge_built *built = &judge->built[index];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_end end;
    const char *why; /* the full message, for all callers */
    struct osw_sandbox *sandbox;

    if (built->refused) {
        snprintf(text, size, "%s", built->refused);
        *state = charged(judge, false);
        return NULL;
    }
    sandbox = get_sandbox(judge, load, file_at(judge, index)->path, &end, &err);
    if (sandbox)
        return sandbox;
    why = end.state != OSW_STATE_NONE ? end.text : err.text;
    snprintf(text, size, "%s%s", end.early ? "no sandbox starts: " : "", why);
    *state = charged(judge, end.early);
    if (!end.early &&
        (end.state == OSW_STATE_TIMEOUT || end.state == OSW_STATE_NONE))
        built->refused = osw_arena_strdup(judge->op_memory, why);
    return NULL;
}

/* Does the reference run in device code?  Then one process runs the references
 * of all ops, since the driver is slow to begin and to end a process.
 */
static bool shares_process(const struct osw_judge *judge,
                           const struct osw_op_file *file)
{
    return strcmp(file->name, "reference") == 0 &&
           judge->device->ops->own_memory && !runs_on_host(judge, file) &&
           !osw_pool_is_python(file->path);
}

/* The LOAD request for a file that was built. */
static struct osw_load load_of(const struct osw_judge *judge, size_t index)
{
    const struct osw_op_file *file = file_at(judge, index);
    const struct osw_device *dev =
        runs_on_host(judge, file) ? judge->host : judge->device;

    return (struct osw_load){
        .window_bytes = dev == judge->device ? judge->pool.env.window_bytes
                                             : judge->pool.host.window_bytes,
        .n_threads = judge->pool.env.n_threads,
        .reference = strcmp(file->name, "reference") == 0,
        .generator = makes_cases(judge, file),
        .shared = file->shared || shares_process(judge, file),
        .device = dev->ops->kind,
        .path = judge->built[index].result.path,
        .symbol = file->symbol ? file->symbol : judge->op.folder,
    };
}

void osw_judge_ask_op_db(struct osw_judge *judge)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_op_file file = samples_of(judge, &err);
    const struct osw_load load = {
        .window_bytes = judge->pool.host.window_bytes,
        .n_threads = judge->pool.env.n_threads,
        .generator = true,
        .shared = true,
        .device = judge->host->ops->kind,
        .path = file.path,
        .symbol = file.symbol,
    };

    if (!file.path)
        return;
    osw_pool_ask(&judge->pool, &load, file.path,
                 osw_judge_load_deadline(judge));
    osw_pool_prepare_python(&judge->pool);
}

bool osw_judge_is_broken(const struct osw_judge *judge, size_t index)
{
    return !judge->config.keep_going && index < judge->op.n_impls &&
           osw_breaker_is_open(&judge->breaker, judge->op.impls[index].path);
}

void osw_judge_ask(struct osw_judge *judge, size_t index)
{
    struct osw_judge_built *built = &judge->built[index];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_load load;

    if (osw_judge_is_broken(judge, index) || built->refused ||
        build(judge, index, &err) < 0 || built->result.failed)
        return;
    load = load_of(judge, index);
    osw_pool_ask(&judge->pool, &load, file_at(judge, index)->path,
                 osw_judge_load_deadline(judge));
}

int64_t osw_judge_load_ahead(struct osw_judge *judge,
                             const struct osw_bundle *bundle, size_t reference)
{
    int64_t t0 = osw_clock_ns();
    uint32_t n = 0;

    if (!judge->device->ops->own_memory)
        return 0;
    for (size_t i = 0; i < judge->op.n_impls; i++)
        n += is_wanted(&judge->op, bundle, SIZE_MAX, i);
    if (n > judge->pool.n_sandboxes / 4)
        return 0;
    for (size_t i = 0; i < judge->op.n_impls + 2; i++)
        if (judge->built[i].done && is_wanted(&judge->op, bundle, reference, i))
            osw_judge_ask(judge, i);
    return osw_clock_ns() - t0;
}

struct osw_sandbox *osw_judge_sandbox(struct osw_judge *judge, size_t index,
                                      int64_t *build_ns, enum osw_state *state,
                                      char *text, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox = NULL;
    int64_t t0 = osw_clock_ns();

    *state = OSW_STATE_NONE;
    if (build(judge, index, &err) < 0) {
        *state = OSW_STATE_BUILD;
        snprintf(text, size, "%s", err.text);
    } else if (judge->built[index].result.failed) {
        *state = OSW_STATE_BUILD;
        snprintf(text, size, "%s", judge->built[index].result.output);
    } else {
        struct osw_load load = load_of(judge, index);

        sandbox = load_or_refuse(judge, index, &load, state, text, size);
    }
    *build_ns += osw_clock_ns() - t0;
    return sandbox;
}

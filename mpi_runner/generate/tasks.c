/* mpi_runner/generate/tasks.c - the ops that kernels are written for, and their
 * cases */
#include "mpi_runner/generate/tasks.h"

#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/text.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "ops/catalog/baselines.h"

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the ops");
}

const struct osw_task_case *osw_tasks_case(const struct osw_task *task,
                                           const char *text, const char *fill)
{
    for (size_t i = 0; i < task->n_cases; i++)
        if (strcmp(task->cases[i].text, text) == 0 &&
            strcmp(task->cases[i].fill, fill) == 0)
            return &task->cases[i];
    return NULL;
}

const struct osw_task *osw_tasks_find(const struct osw_tasks *tasks,
                                      const char *op)
{
    for (size_t i = 0; i < tasks->n; i++)
        if (strcmp(tasks->at[i].op->name, op) == 0)
            return &tasks->at[i];
    return NULL;
}

/* --- what is held out --- */

/* FNV-1a, with the bits of the result mixed once more. */
static uint64_t hash_case(const struct osw_task_case *c, uint64_t seed)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;

    for (const char *s = c->text; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    for (const char *s = c->fill; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ (h >> 32);
}

static size_t count_shown(const struct osw_task *task, bool timed)
{
    size_t n = 0;

    for (size_t i = 0; i < task->n_cases; i++)
        n += !task->cases[i].held_out && (!timed || task->cases[i].timed);
    return n;
}

void osw_tasks_hold_out(struct osw_task *task, double share, uint64_t seed)
{
    size_t wanted = (size_t)(share * (double)task->n_cases);

    for (size_t k = 0; k < wanted; k++) {
        struct osw_task_case *least = NULL;
        size_t n_timed = count_shown(task, true);

        for (size_t i = 0; i < task->n_cases; i++) {
            struct osw_task_case *c = &task->cases[i];

            if (c->held_out || (c->timed && n_timed == 1))
                continue;
            if (!least || hash_case(c, seed) < hash_case(least, seed))
                least = c;
        }
        if (!least || count_shown(task, false) == 1)
            break;
        least->held_out = true;
    }
    task->n_shown = count_shown(task, false);
}

/* --- from a plan --- */

/* "add__Tensor" of "aten.add.Tensor", as BackendBench names folders. */
static const char *make_label(osw_arena_t *arena, const char *name)
{
    static const char aten[] = "aten.";
    struct osw_text t = OSW_TEXT_INIT;
    const char *label;

    if (strncmp(name, aten, sizeof(aten) - 1) == 0)
        name += sizeof(aten) - 1;
    for (; *name; name++)
        if (*name == '.')
            osw_text_add(&t, "__");
        else
            osw_text_add_n(&t, osw_op_is_word(*name) ? name : "_", 1);
    label = t.failed ? NULL : osw_arena_strdup(arena, osw_text_str(&t));
    osw_text_free(&t);
    return label;
}

static bool has_folder(const struct osw_op *op)
{
    return op->dir && *op->dir && access(op->dir, R_OK) == 0;
}

/* Bundles [first, end) are of one op. */
static int make_task(struct osw_tasks *t, const struct osw_plan_bundle *bundles,
                     size_t n, struct osw_error *err)
{
    const struct osw_op *op = bundles[0].op;
    struct osw_task *task = &t->at[t->n];
    char baseline[OSW_OP_MAX_NAME + 1] = "";

    *task = (struct osw_task){
        .op = op,
        .label = make_label(t->arena, op->name),
        .symbol = osw_arena_printf(t->arena, "%s_kernel_impl", op->folder),
        .cases = osw_arena_array(t->arena, n, sizeof(*task->cases)),
    };
    (void)osw_baselines_at(bundles[0].baselines, 0, baseline, sizeof(baseline));
    task->baseline = osw_arena_strdup(t->arena, baseline);
    if (!task->label || !task->symbol || !task->cases || !task->baseline)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (bundles[i].n_run > 0 || op->n_impls == 0)
            task->cases[task->n_cases++] = (struct osw_task_case){
                .text = bundles[i].case_text,
                .fill = bundles[i].fill,
                .dtype = bundles[i].dtype,
                .flops = bundles[i].flops,
                .bytes = bundles[i].bytes,
                .timed = bundles[i].time,
            };
    if (task->n_cases > 0)
        t->n++;
    else
        t->n_left_out++;
    return 0;
}

static int make_tasks(struct osw_tasks *t, const struct osw_plan *plan,
                      struct osw_error *err)
{
    size_t end;

    t->at = osw_arena_array(t->arena, plan->n_bundles, sizeof(*t->at));
    if (!t->at)
        return no_memory(err);
    for (size_t i = 0; i < plan->n_bundles; i = end) {
        const struct osw_op *op = plan->bundles[i].op;

        for (end = i + 1; end < plan->n_bundles; end++)
            if (plan->bundles[end].op != op)
                break;
        if (!op || plan->bundles[i].broken || !has_folder(op))
            t->n_left_out++;
        else if (make_task(t, plan->bundles + i, end - i, err) < 0)
            return -1;
    }
    return 0;
}

int osw_tasks_load(osw_arena_t *arena, struct osw_campaign_opts *opts,
                   const struct osw_args *args, double holdout,
                   struct osw_tasks *out, struct osw_error *err)
{
    struct osw_backend_ops *ops = osw_arena_array(arena, 1, sizeof(*ops));
    struct osw_plan *plan = osw_arena_array(arena, 1, sizeof(*plan));
    struct osw_tasks t = {.arena = arena};

    if (!ops || !plan)
        return no_memory(err);
    if (osw_campaign_make(arena, opts, args, 0, &t.campaign, err) < 0)
        return -1;
    osw_expand_enable(&t.campaign);
    if (osw_plan_load(arena, &t.campaign, ops, plan, err) < 0 ||
        make_tasks(&t, plan, err) < 0)
        return -1;
    if (t.n == 0)
        return osw_fail(err, OSW_NOTHING,
                        "no op is left to write a kernel for: %zu without a "
                        "folder of their own, or without a case that can be "
                        "judged here",
                        t.n_left_out);
    for (size_t i = 0; i < t.n; i++)
        osw_tasks_hold_out(&t.at[i], holdout, t.campaign.seed);
    *out = t;
    return 0;
}

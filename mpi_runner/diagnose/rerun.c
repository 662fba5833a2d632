/* mpi_runner/diagnose/rerun.c - one cell of a result file, judged again here */
#include "mpi_runner/diagnose/rerun.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/json.h"
#include "common/log.h"
#include "common/paths.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_make.h"
#include "mpi_runner/campaign/sources.h"
#include "mpi_runner/diagnose/shrink.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"
#include "results/file/file_runs.h"
#include "results/file/file_sources.h"
#include "results/report/command.h"

/* A worker is opened with memory for so many times the cell's plan, so that
 * workspaces that fitted in the campaign fit again.
 */
enum { ROOM = 4 };
#define LEAST_ROOM     (UINT64_C(256) << 20)
#define LEAST_DEADLINE 10.0 /* seconds: the judge's own floor */
#define COST_DEADLINE  20.0 /* times the predicted cost: the judge's own */

struct osw_rerun {
    struct osw_rerun_job job;
    osw_arena_t *memory; /* for its life */
    osw_arena_t *trial;  /* for one run */
    struct osw_campaign campaign;
    struct osw_backend_ops backend_ops;
    const char *op, *impl, *case_text, *fill; /* as recorded */
    struct osw_case parsed;
    const struct osw_fill *fills, *defaults; /* [n_fills] of its case */
    size_t n_fills;
    osw_worker_t *worker;          /* opened by the first run */
    struct osw_plan_bundle bundle; /* of the last run */
    struct osw_record record;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to run a cell again");
}

/* --- the campaign --- */

/* Timing can be left out, unless that is where it failed. */
static const char *profile_of(const struct osw_record *r)
{
    return r->phase_id == OSW_PHASE_TIME ? "smoke" : "correct";
}

/* The campaign of the file, cut down to the one cell. */
static int make_campaign(osw_rerun_t *r, struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(r->job.file);
    struct osw_file_run run;
    const char *text;
    struct osw_campaign_opts opts = OSW_CAMPAIGN_DEFAULTS;

    if (osw_file_run_of(r->job.file, r->job.record, &run, err))
        return -1;
    text = run.campaign_resolved;
    if (osw_campaign_read(r->memory, "/campaign/resolved", text, strlen(text),
                          NULL, &opts, err) < 0)
        return osw_error_in(err, "'%s'", info->path);
    opts.ops = r->op;
    opts.impls = r->impl;
    opts.given_case = r->case_text;
    opts.cells = NULL; /* there is one */
    opts.fill = r->fill;
    opts.traces.n = 0;
    opts.output = NULL;
    opts.ranks = 0;
    opts.seed = run.seed;
    opts.profile = profile_of(r->job.record);
    if (opts.library && access(opts.library, R_OK) < 0)
        opts.library = NULL; /* recorded elsewhere: the one that is here */
    return osw_campaign_make(r->memory, &opts, NULL, 1, &r->campaign, err);
}

void osw_rerun_warn_sources(const osw_file_t *file,
                            const struct osw_run_source *now, size_t n,
                            const char *root)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_file_rows(file, "/sources") > 0 &&
        osw_file_rows(file, "/runs") <= 1 &&
        osw_file_sources_check(file, now, n, root, &why) < 0)
        osw_log(OSW_LOG_WARNING, "this is not the code of the file: %s",
                why.text);
}

/* The recorded op alone: of the catalog, or made by the backend. */
static int scan(osw_rerun_t *r, struct osw_error *err)
{
    struct osw_catalog *catalog = &r->backend_ops.catalog;
    const struct osw_op *op;

    if (osw_campaign_check_root(&r->campaign, false, err) < 0)
        return -1;
    if (osw_backend_ops_load(r->memory, &r->campaign, &r->backend_ops, err) < 0)
        return -1;
    op = osw_catalog_find(catalog, r->op);
    if (!op && !r->backend_ops.backend->torch)
        return osw_fail(err, OSW_BAD_INPUT, "op '%s' is not in '%s'", r->op,
                        r->backend_ops.root);
    if (!op && !(op = osw_backend_ops_make_op(&r->backend_ops, r->op, err)))
        return -1;
    catalog->ops = op;
    catalog->n_ops = 1;
    return 0;
}

/* --- cases, and how they are filled --- */

/* The caller frees the list, of one item. */
static int expand(const osw_rerun_t *r, osw_arena_t *memory, const char *text,
                  const char *fill, struct osw_suite_list *list,
                  struct osw_error *err)
{
    const struct osw_suite_request request = {
        .catalog = &r->backend_ops.catalog,
        .ops = r->campaign.ops,
        .n_ops = r->campaign.n_ops,
        .given = text,
        .fill = fill && *fill ? fill : NULL,
    };

    return osw_suite_expand(memory, osw_suite_find(r->campaign.suite), &request,
                            list, err);
}

/* What the op fills the tensors of the case with by itself. */
static int own_fill(const osw_rerun_t *r, osw_arena_t *memory, const char *text,
                    const char **fill, struct osw_error *err)
{
    struct osw_suite_list list;
    int rc = expand(r, memory, text, NULL, &list, err);

    if (rc == 0)
        *fill = list.items[0].fill;
    osw_suite_list_free(&list);
    return rc;
}

static int parse_fills(osw_arena_t *memory, const char *text,
                       const struct osw_fill **out, size_t *n,
                       struct osw_error *err)
{
    return osw_fill_list_parse(memory, text, strlen(text), out, n, err);
}

static int read_case(osw_rerun_t *r, struct osw_error *err)
{
    const char *own = "";
    size_t n;

    if (osw_notation_parse_case(r->memory, r->case_text, strlen(r->case_text),
                                &r->parsed, err) < 0 ||
        own_fill(r, r->memory, r->case_text, &own, err) < 0 ||
        parse_fills(r->memory, r->fill, &r->fills, &r->n_fills, err) < 0 ||
        parse_fills(r->memory, own, &r->defaults, &n, err) < 0)
        return -1;
    if (n != r->n_fills)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' now has %zu tensor%s to fill in this case, the "
                        "file has %zu",
                        r->op, n, osw_plural(n), r->n_fills);
    return 0;
}

static bool same_fill(const struct osw_fill *a, const struct osw_fill *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b;
}

/* Fills of another case: the op's own where the recorded one is the op's own;
 * else the recorded one, an index into a dimension following its size.
 */
static const char *fill_for(const osw_rerun_t *r, const struct osw_case *c,
                            const char *defaults, struct osw_error *err)
{
    const struct osw_fill *own;
    struct osw_fill *made;
    const char *text;
    size_t n;

    if (parse_fills(r->trial, defaults, &own, &n, err) < 0)
        return NULL;
    made = osw_arena_array(r->trial, n, sizeof(*made));
    for (size_t i = 0; made && i < n && i < r->n_fills; i++) {
        made[i] =
            same_fill(&r->fills[i], &r->defaults[i]) ? own[i] : r->fills[i];
        if (made[i].kind == OSW_FILL_INDEX &&
            !same_fill(&r->fills[i], &r->defaults[i]))
            made[i].a =
                (double)osw_shrink_size(&r->parsed, c, (int64_t)made[i].a);
    }
    text = made ? osw_fill_list_text(r->trial, made, n) : NULL;
    if (!text)
        no_memory(err);
    return text;
}

static const char *print_case(osw_arena_t *memory, const struct osw_case *c)
{
    struct osw_text t = OSW_TEXT_INIT;
    const char *text;

    osw_notation_print_case(&t, c);
    text = osw_text_str(&t) ? osw_arena_strdup(memory, osw_text_str(&t)) : NULL;
    osw_text_free(&t);
    return text;
}

/* --- one run --- */

static int plan(osw_rerun_t *r, const struct osw_case *c, struct osw_error *err)
{
    struct osw_campaign campaign = r->campaign;
    struct osw_suite_list list;
    struct osw_plan made;
    const char *own = "";
    int rc;

    campaign.given_case = c ? print_case(r->trial, c) : r->case_text;
    campaign.fill = r->fill;
    if (!campaign.given_case)
        return no_memory(err);
    if (c) {
        if (own_fill(r, r->trial, campaign.given_case, &own, err) < 0)
            return -1;
        campaign.fill = fill_for(r, c, own, err);
        if (!campaign.fill)
            return -1;
    }
    rc = expand(r, r->trial, campaign.given_case, campaign.fill, &list, err);
    if (rc == 0)
        rc = osw_plan_make(r->trial, &campaign, &list, &made, err);
    if (rc == 0)
        r->bundle = made.bundles[0];
    osw_suite_list_free(&list);
    return rc;
}

static uint64_t room_of(const osw_rerun_t *r)
{
    uint64_t room = r->bundle.memory_bytes * ROOM;

    if (room < LEAST_ROOM)
        room = LEAST_ROOM;
    return r->job.record->status_id == OSW_STATE_OOM ||
                   room > r->campaign.max_bytes
               ? r->campaign.max_bytes
               : room;
}

static double least_deadline_s(const osw_rerun_t *r)
{
    return r->job.timeout_s > r->campaign.timeout_s ? r->job.timeout_s
                                                    : r->campaign.timeout_s;
}

static int open_worker(osw_rerun_t *r, struct osw_error *err)
{
    const struct osw_campaign *c = &r->campaign;
    const struct osw_worker_config config = {
        .device = c->device,
        .n_local = 1,
        .n_threads = c->threads,
        .seed = c->seed,
        .max_bytes = room_of(r),
        .keep_going = true, /* each run tells something */
        .profile = osw_profile_find(c->profile),
        .deadline_ns = (int64_t)(c->timeout_s * 1e9),
        .least_ns = (int64_t)(r->job.timeout_s * 1e9),
        .cold = c->cold,
        .signed_zero = c->signed_zero,
        .share_devices = true,
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = osw_paths_include_dir(err),
        .sandbox_path = osw_paths_sandbox(err),
        .python = c->python,
        .capture = r->job.capture,
        .capture_arg = r->job.capture_arg,
    };

    if (!r->worker && config.include_dir && config.sandbox_path)
        r->worker = osw_worker_create(&config, err);
    return r->worker ? 0 : -1;
}

/* The record of the one cell; texts are copied, they end with the bundle. */
static void keep(void *arg, const struct osw_record *record)
{
    static const char lost[] = "no memory for its words";
    osw_rerun_t *r = arg;
    const char *reason = osw_arena_strdup(r->trial, record->reason);
    const char *output = osw_arena_strdup(r->trial, record->output);

    r->record = *record;
    r->record.reason = reason ? reason : lost;
    r->record.output = output ? output : lost;
    r->record.reference = r->record.baseline = "";
    r->record.samples = NULL;
    r->record.sample_n = 0;
}

int osw_rerun_run(osw_rerun_t *r, const struct osw_case *c,
                  struct osw_record *out, struct osw_error *err)
{
    struct osw_bundle bundle;

    osw_arena_reset(r->trial);
    osw_record_init(&r->record);
    if (plan(r, c, err) < 0)
        return -1;
    if (r->bundle.n_run == 0) {
        r->record.status_id = OSW_STATE_SKIPPED;
        r->record.phase_id = OSW_PHASE_PLAN;
        r->record.reason = r->bundle.reasons[0];
    } else {
        bundle = osw_plan_dispatch(&r->bundle, r->campaign.device);
        if (open_worker(r, err) < 0 ||
            osw_worker_run(r->worker, &bundle, 1, keep, r, err) < 0)
            return -1;
    }
    *out = r->record;
    return 0;
}

void osw_rerun_warn(const osw_rerun_t *r)
{
    struct osw_plan_bundle bundle = r->bundle;
    const struct osw_plan plan = {.n_bundles = 1, .bundles = &bundle};
    const struct osw_run_source *now;
    struct osw_error unused = OSW_ERROR_INIT;
    size_t n;

    if (osw_sources_load(r->trial, &plan, &now, &n, &unused) == 0)
        osw_rerun_warn_sources(r->job.file, now, n,
                               osw_campaign_root(&r->campaign));
}

const char *osw_rerun_case_text(const osw_rerun_t *r)
{
    return r->bundle.case_text;
}

const char *osw_rerun_fill(const osw_rerun_t *r)
{
    return r->bundle.fill;
}

const char *osw_rerun_device(const osw_rerun_t *r)
{
    return r->campaign.device;
}

const struct osw_case *osw_rerun_case(const osw_rerun_t *r)
{
    return &r->parsed;
}

double osw_rerun_deadline_s(const osw_rerun_t *r, double times)
{
    double own = (double)r->bundle.cost_ns * 1e-9 * COST_DEADLINE;

    if (own < LEAST_DEADLINE)
        own = LEAST_DEADLINE;
    if (own < least_deadline_s(r))
        own = least_deadline_s(r);
    if (r->bundle.op)
        own = fmax(
            own, fmax(r->bundle.op->timeout_s, r->bundle.op->least_timeout_s));
    return own * times;
}

static const char *if_python(const struct osw_op_file *file)
{
    size_t n = file ? strlen(file->path) : 0;

    return n > 3 && strcmp(file->path + n - 3, ".py") == 0 ? file->path : NULL;
}

const char *osw_rerun_python(const osw_rerun_t *r, bool reference)
{
    const struct osw_op *op = r->bundle.op;
    const char *path = op ? if_python(osw_op_impl(op, r->impl)) : NULL;

    return path || !op || !reference ? path : if_python(op->reference);
}

/* --- its life --- */

static int set_up(osw_rerun_t *r, struct osw_error *err)
{
    const osw_file_t *file = r->job.file;
    const struct osw_record *record = r->job.record;

    r->op = osw_file_text(file, OSW_DICT_OP, record->op_id);
    r->impl = osw_file_text(file, OSW_DICT_IMPL, record->impl_id);
    r->case_text = osw_file_text(file, OSW_DICT_CASE, record->case_id);
    r->fill = osw_file_text(file, OSW_DICT_FILL, record->fill_id);
    if (!*r->impl)
        return osw_fail(err, OSW_NOTHING,
                        "no implementation: there is nothing to run again");
    r->memory = osw_arena_create();
    r->trial = osw_arena_create();
    if (!r->memory || !r->trial)
        return no_memory(err);
    return make_campaign(r, err) < 0 || scan(r, err) < 0 ||
                   read_case(r, err) < 0
               ? -1
               : 0;
}

osw_rerun_t *osw_rerun_create(const struct osw_rerun_job *job,
                              struct osw_error *err)
{
    osw_rerun_t *r = calloc(1, sizeof(*r));

    if (!r) {
        no_memory(err);
        return NULL;
    }
    r->job = *job;
    if (set_up(r, err) == 0)
        return r;
    osw_rerun_destroy(r);
    return NULL;
}

void osw_rerun_destroy(osw_rerun_t *r)
{
    if (!r)
        return;
    osw_worker_destroy(r->worker);
    osw_arena_destroy(r->trial);
    osw_arena_destroy(r->memory);
    free(r);
}

/* --- as a command --- */

int osw_rerun_command(const osw_file_t *file, const struct osw_record *record,
                      const char *case_text, const char *fill,
                      struct osw_text *out, struct osw_error *err)
{
    struct osw_file_run run;

    if (osw_file_run_of(file, record, &run, err))
        return -1;
    if (osw_command_begin(&run, out, err))
        return osw_error_in(err, "'%s'", osw_file_info(file)->path);
    osw_command_cell(osw_file_text(file, OSW_DICT_OP, record->op_id),
                     osw_file_text(file, OSW_DICT_IMPL, record->impl_id),
                     osw_state_is_folder(record->status_id, record->phase_id)
                         ? ""
                         : case_text,
                     fill, out);
    if (strcmp(case_text,
               osw_file_text(file, OSW_DICT_CASE, record->case_id)) == 0 &&
        strcmp(fill, osw_file_text(file, OSW_DICT_FILL, record->fill_id)) == 0)
        osw_command_world(record->world, record->cell_key, out);
    osw_command_end(&run, out);
    return 0;
}

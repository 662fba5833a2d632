/* mpi_runner/commands/cmd_list.c - opsweep list: ops, and what was left out and
 * why */
#include <stdio.h>
#include <string.h>

#include "common/cli/cli.h"
#include "common/json_out.h"
#include "common/utf8.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_impls.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/commands/list_coverage.h"
#include "ops/cases/gen_input.h"
#include "ops/cases/overload.h"
#include "ops/catalog/baselines.h"

struct list_opts {
    struct osw_campaign_opts campaign; /* first: its table is ours too */
    bool json, coverage;
};

static const struct list_opts list_defaults = {.campaign =
                                                   OSW_CAMPAIGN_DEFAULTS};

static const struct osw_opt list_optv[] = {
    OSW_CAMPAIGN_OPTV,
    {"coverage", OSW_OPT_FLAG, offsetof(struct list_opts, coverage),
     "the operators of --traces by what is there to run them"},
    {"json", OSW_OPT_FLAG, offsetof(struct list_opts, json),
     "print JSON instead of a table"},
    {0},
};

/* An op with the number of its cases; `why` when they cannot be had. */
struct row {
    const struct osw_op *op;
    size_t n_correctness, n_performance;
    const char *why;       /* "" or words */
    const char *baselines; /* best first: see ops/catalog/baselines.h */
};

struct listing {
    const struct osw_campaign *campaign;
    struct osw_backend_ops backend_ops;
    struct row *rows; /* [n] */
    size_t n;
};

struct counting {
    osw_arena_t *arena;
    struct row *row;
};

static int count_case(void *arg, const struct osw_gen_case *c,
                      struct osw_error *err)
{
    struct counting *n = arg;

    if (!c->why_not) {
        n->row->n_performance += c->performance;
        n->row->n_correctness += !c->performance;
        return 0;
    }
    n->row->why = osw_arena_strdup(n->arena, c->why_not);
    return n->row->why ? 0
                       : osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
}

/* Where a generator fails, its op has no case. */
static int count_cases(osw_arena_t *arena, struct row *row,
                       struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct counting counting = {arena, row};
    struct osw_gen_sink sink = {
        .arena = osw_arena_create(), .take = count_case, .arg = &counting};
    int rc = 0;

    row->why = osw_gen_input_missing(row->op);
    row->why = row->why ? row->why : "";
    if (!sink.arena || osw_gen_input_each(row->op, &sink, &why) < 0) {
        row->n_correctness = row->n_performance = 0;
        row->why = osw_arena_strdup(arena, why.text);
        if (!sink.arena || why.status == OSW_NO_MEMORY || !row->why)
            rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
    }
    osw_arena_destroy(sink.arena);
    return rc;
}

static int make_listing(osw_arena_t *arena, const struct osw_campaign *c,
                        struct listing *l, struct osw_error *err)
{
    const char *const *ops;

    osw_expand_enable(c);
    if (osw_backend_ops_load(arena, c, &l->backend_ops, err) < 0)
        return -1;
    if (osw_overload_resolve(arena, &l->backend_ops.catalog, NULL, 0, c->ops,
                             c->n_ops, &ops, err) < 0)
        return -1;
    for (size_t i = 0; i < c->n_ops; i++)
        if (osw_catalog_check(&l->backend_ops.catalog,
                              ops[i] + (ops[i][0] == '!'), err) < 0)
            return osw_error_in(err, "'%s'", osw_campaign_root(c));
    l->rows =
        osw_arena_array(arena, l->backend_ops.catalog.n_ops, sizeof(*l->rows));
    if (!l->rows)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
    for (size_t i = 0; i < l->backend_ops.catalog.n_ops; i++) {
        if (!osw_catalog_wants(&l->backend_ops.catalog.ops[i], ops, c->n_ops))
            continue;
        l->rows[l->n] = (struct row){
            .op = &l->backend_ops.catalog.ops[i],
            .baselines = osw_baselines_of(arena, &l->backend_ops.catalog.ops[i],
                                          c->device, c->baseline)};
        if (!l->rows[l->n].baselines)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
        if (count_cases(arena, &l->rows[l->n++], err) < 0)
            return -1;
    }
    return 0;
}

/* --- as text --- */

static const char *reference_of(const struct osw_op *op)
{
    return op->oracle == OSW_ORACLE_INDEPENDENT ? op->reference->file
                                                : osw_oracle_name(op->oracle);
}

static void print_impl(FILE *out, const struct listing *l,
                       const struct row *row, const struct osw_op_file *impl)
{
    if (osw_plan_impls_match(l->campaign, row->op, impl->name))
        fprintf(
            out, "    %s__%s  %s%s\n", row->op->folder, impl->name, impl->file,
            osw_baselines_rank(row->baselines, impl->name) >= 0 ? "  (baseline)"
                                                                : "");
}

static void print_listing(FILE *out, const struct listing *l)
{
    size_t n_left_out = l->backend_ops.catalog.n_left_out;

    for (size_t i = 0; i < l->n; i++) {
        const struct osw_op *op = l->rows[i].op;

        fprintf(out, "%-40s %5zu + %-5zu cases  reference %s\n", op->name,
                l->rows[i].n_correctness, l->rows[i].n_performance,
                reference_of(op));
        for (size_t k = 0; k < op->n_impls; k++)
            print_impl(out, l, &l->rows[i], &op->impls[k]);
        if (op->n_impls == 0)
            fprintf(out, "    %s\n", l->backend_ops.backend->none);
        if (*l->rows[i].why)
            osw_utf8_put_note(out, "    ", "note", l->rows[i].why);
        for (size_t k = 0; k < op->n_notes; k++)
            osw_utf8_put_note(out, "    note: ", op->notes[k].path,
                              op->notes[k].text);
    }
    for (size_t i = 0; i < l->backend_ops.kernels.n_notes; i++)
        osw_utf8_put_note(out, "note: ", l->backend_ops.kernels.notes[i].path,
                          l->backend_ops.kernels.notes[i].text);
    fprintf(out, "\n%zu op%s (cases: for correctness + for performance)\n",
            l->n, osw_plural(l->n));
    if (n_left_out)
        fprintf(out, "%zu folder%s left out:\n", n_left_out,
                osw_plural(n_left_out));
    for (size_t i = 0; i < n_left_out; i++)
        osw_utf8_put_note(out, "    ", l->backend_ops.catalog.left_out[i].path,
                          l->backend_ops.catalog.left_out[i].why);
}

/* --- as JSON --- */

static void add_op(struct osw_json_out *o, const struct listing *l,
                   const struct row *row)
{
    const struct osw_op *op = row->op;

    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "name", op->name);
    osw_json_out_str(o, "folder", op->folder);
    osw_json_out_str(o, "dir", op->dir);
    osw_json_out_str(o, "schema", op->schema_text);
    osw_json_out_str(o, "reference", op->reference ? op->reference->file : "");
    osw_json_out_str(o, "oracle", osw_oracle_name(op->oracle));
    osw_json_out_str(o, "baselines", row->baselines);
    osw_json_out_u64(o, "n_correctness", row->n_correctness);
    osw_json_out_u64(o, "n_performance", row->n_performance);
    osw_json_out_list(o, "aliases");
    for (size_t i = 0; i < op->n_aliases; i++)
        osw_json_out_str(o, NULL, op->aliases[i]);
    osw_json_out_end(o);
    osw_json_out_list(o, "implementations");
    for (size_t i = 0; i < op->n_impls; i++) {
        if (!osw_plan_impls_match(l->campaign, op, op->impls[i].name))
            continue;
        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "name", op->impls[i].name);
        osw_json_out_str(o, "file", op->impls[i].file);
        osw_json_out_bool(o, "runs", true); /* as form 1 has it */
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
    osw_json_out_list(o, "notes");
    if (*row->why)
        osw_json_out_str(o, NULL, row->why);
    for (size_t i = 0; i < op->n_notes; i++) {
        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "path", op->notes[i].path);
        osw_json_out_str(o, "text", op->notes[i].text);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
    osw_json_out_end(o);
}

static int print_json(FILE *out, const struct listing *l, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    int rc = 0;

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep list 1");
    osw_json_out_list(&o, "ops");
    for (size_t i = 0; i < l->n; i++)
        add_op(&o, l, &l->rows[i]);
    osw_json_out_end(&o);
    osw_json_out_list(&o, "left_out");
    for (size_t i = 0; i < l->backend_ops.catalog.n_left_out; i++) {
        osw_json_out_object(&o, NULL);
        osw_json_out_str(&o, "path", l->backend_ops.catalog.left_out[i].path);
        osw_json_out_str(&o, "why", l->backend_ops.catalog.left_out[i].why);
        osw_json_out_bool(&o, "broken",
                          l->backend_ops.catalog.left_out[i].broken);
        osw_json_out_end(&o);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    if (osw_text_str(&text))
        fprintf(out, "%s\n", osw_text_str(&text));
    else
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to print the list");
    osw_text_free(&text);
    return rc;
}

static int list_folders(FILE *out, osw_arena_t *arena,
                        const struct osw_campaign *c, bool json,
                        struct osw_error *err)
{
    struct listing listing = {.campaign = c};

    if (make_listing(arena, c, &listing, err) < 0)
        return -1;
    if (listing.n == 0 && *c->custom_ops_root &&
        osw_catalog_is_op(c->custom_ops_root))
        return osw_fail(err, OSW_NOTHING,
                        "nothing to list: '%s' is an op's own folder, expected "
                        "the folder that holds it",
                        c->custom_ops_root);
    if (listing.n || listing.backend_ops.catalog.n_left_out) {
        if (json && print_json(out, &listing, err) < 0)
            return -1;
        if (!json)
            print_listing(out, &listing);
    }
    if (listing.n == 0 && *c->custom_ops_root)
        return osw_fail(err, OSW_NOTHING,
                        "nothing to list: '%s' has no op, expected folders "
                        "<op>/ with gen_input.json or gen_input.py; opsweep "
                        "new makes one",
                        c->custom_ops_root);
    return 0;
}

/* --- a suite whose cases no folder has --- */

/* Operators, and how many tests each has. */
static int list_found(FILE *out, osw_arena_t *arena,
                      const struct osw_campaign *c, bool json,
                      struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;
    size_t n = 0, n_left_out = 0;
    int rc = 0;

    osw_expand_enable(c);
    if (osw_plan_load(arena, c, &backend_ops, &plan, err) < 0)
        return -1;
    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep list 1");
    osw_json_out_str(&o, "suite_found", plan.words);
    osw_json_out_list(&o, "ops");
    for (size_t i = 0; i < plan.n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan.bundles[i];

        n++;
        n_left_out += b->n_run == 0;
        if (i + 1 < plan.n_bundles && strcmp(b[1].op_name, b->op_name) == 0)
            continue;
        if (!json)
            fprintf(out, "%-48s %5zu tests%s", b->op_name, n,
                    n_left_out ? "" : "\n");
        if (!json && n_left_out)
            fprintf(out, ", %zu of them not run: %s\n", n_left_out,
                    n_left_out == n ? b->reasons[0] : "see opsweep plan");
        osw_json_out_object(&o, NULL);
        osw_json_out_str(&o, "name", b->op_name);
        osw_json_out_u64(&o, "n_tests", n);
        osw_json_out_u64(&o, "n_skipped", n_left_out);
        osw_json_out_end(&o);
        n = n_left_out = 0;
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    if (!osw_text_str(&text))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to print the list");
    else if (json)
        fprintf(out, "%s\n", osw_text_str(&text));
    else
        fprintf(out, "\n%s", plan.words);
    osw_text_free(&text);
    return rc;
}

/* Does the plan of the campaign refuse its filters?  A list that ignored a
 * mistake in them would look like the answer.  An empty plan is none.
 */
static int check_filters(const struct osw_campaign *c, bool coverage,
                         struct osw_error *err)
{
    bool any = c->n_impls || c->n_cells || *c->baseline || *c->given_case ||
               (c->n_traces && !coverage); /* which reads them itself */
    osw_arena_t *arena = any ? osw_arena_create() : NULL;
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;
    int rc = 0;

    if (!any)
        return 0;
    if (!arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
    osw_expand_enable(c);
    if (osw_plan_load(arena, c, &backend_ops, &plan, &why) < 0 &&
        why.status != OSW_NOTHING)
        rc = osw_fail(err, why.status, "%s", why.text);
    osw_arena_destroy(arena);
    return rc;
}

static int list_run(void *opts, const struct osw_args *args,
                    struct osw_error *err)
{
    struct list_opts *o = opts;
    osw_arena_t *arena = osw_arena_create();
    struct osw_campaign campaign;
    struct osw_whole_file text;
    int rc = -1;

    if (!arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the list");
    if (osw_campaign_make(arena, &o->campaign, args, 0, &campaign, err) < 0 ||
        check_filters(&campaign, o->coverage, err) < 0)
        goto out;
    if (osw_campaign_open_text(&text, args, &campaign, err) < 0)
        goto out;
    rc = o->coverage
             ? osw_list_coverage(text.file, arena, &campaign, o->json, err)
         : strcmp(campaign.suite, "opinfo") == 0
             ? list_found(text.file, arena, &campaign, o->json, err)
             : list_folders(text.file, arena, &campaign, o->json, err);
    rc = osw_whole_file_close(&text, rc, err);
out:
    osw_arena_destroy(arena);
    return rc;
}

extern const struct osw_cmd osw_cmd_list;
const struct osw_cmd osw_cmd_list = {
    .name = "list",
    .topic = "judge",
    .operands = "[CAMPAIGN.json]",
    .summary = "print ops, implementations, references and cases",
    .details =
        "Also what was left out of the folders, and why.  Cases are those of\n"
        "the folders; of --traces, --coverage counts the operators, and\n"
        "opsweep plan prints the cases.  --ops and --impls choose what is\n"
        "listed; filters that opsweep plan refuses are refused here, too.\n"
        "Exits 3 when no folder of a root is an op.\n",
    .max_operands = 1,
    .opts = list_optv,
    .defaults = &list_defaults,
    .opts_size = sizeof(list_defaults),
    .run = list_run,
};

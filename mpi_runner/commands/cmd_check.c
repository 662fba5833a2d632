/* mpi_runner/commands/cmd_check.c - opsweep check: does an op folder keep the
 * contract?
 */
#include <stdio.h>
#include <string.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/diagnose/check_lines.h"
#include "mpi_runner/diagnose/check_open.h"
#include "mpi_runner/diagnose/gradient.h"
#include "mpi_runner/diagnose/keys.h"
#include "mpi_runner/diagnose/out_form.h"
#include "mpi_runner/diagnose/outputs.h"
#include "ops/build/build_cache.h"
#include "ops/build/build_confine.h"
#include "ops/cases/gen_input.h"
#include "ops/cases/variant.h"
#include "ops/catalog/op.h"
#include "ops/catalog/op_registered.h"
#include "ops/notation/notation.h"
#include "ops/record/state.h"
#include "results/report/report_cut.h"
#include "worker/device/device.h"
#include "worker/worker.h"

struct check_opts {
    uint64_t cases;
    uint64_t seed;
    double timeout_s;
    const char *device;
};

static const struct check_opts check_defaults = {
    .cases = 50, .timeout_s = 10, .device = "cpu"};

#define AT(field) offsetof(struct check_opts, field)
/* clang-format off */
static const struct osw_opt check_optv[] = {
    { "cases", OSW_OPT_U64, AT(cases), "run so many of the folder's cases",
      .letter = 'n', .value = "N" },
    { "device", OSW_OPT_STR, AT(device), "where: cpu, or cuda for what only "
      "runs there", .value = "KIND", .words = osw_device_word, .open = true },
    { "seed", OSW_OPT_U64, AT(seed), "seed of the inputs", .value = "N" },
    { "timeout", OSW_OPT_F64, AT(timeout_s), "seconds one call may take",
      .value = "S", .high = OSW_CAMPAIGN_MAX_TIMEOUT, .nonzero = true },
    { 0 },
};
/* clang-format on */
#undef AT

struct check {
    osw_arena_t *memory;
    struct osw_op op;
    struct osw_gen_cases cases;
    osw_worker_t *worker;     /* borrowed: that of all folders */
    const char *const *impls; /* [n_impls] that this build can run */
    uint32_t n_impls;
    const uint64_t *keys;        /* [n_impls] zeros */
    struct osw_check_told *told; /* [n_impls] */
    struct osw_out_form out_form;
    uint64_t n_wrong, n_run;
    const char *what; /* the case being run, as text */
    const char *case_text;
};

static void wrong(struct check *c, const char *who, const char *text)
{
    c->n_wrong++;
    osw_check_say("wrong", who, "%s", text);
}

static struct osw_bundle bundle_of(const struct check *c,
                                   const struct osw_gen_case *at)
{
    struct osw_bundle b = osw_bundle_of_case(c->op.dir, at->text, at->fill);

    b.n_impls = c->n_impls;
    b.impls = c->impls;
    b.cell_keys = c->keys;
    return b;
}

/* --- one file: symbols and sub-tests --- */

static void tell_test(struct check *c, const char *file, const char *name,
                      const struct osw_subtest *t)
{
    static const char *const marks[] = {[OSW_SUBTEST_WAS_SKIPPED] = "skipped",
                                        [OSW_SUBTEST_WAS_OK] = "ok",
                                        [OSW_SUBTEST_WAS_FAILED] = "FAILED"};

    osw_check_say(marks[t->state], file, "%s: %s", name, t->text);
    c->n_wrong += t->state == OSW_SUBTEST_WAS_FAILED;
}

/* What torch itself checks of an operator that is registered with it. */
static int run_opcheck(struct check *c, const struct osw_bundle *bundle,
                       const char *name, const char *file,
                       struct osw_error *err)
{
    struct osw_subtest t;

    for (size_t i = 0; osw_opcheck_name(i); i++) {
        if (osw_worker_opcheck(c->worker, bundle, name, i, &t, err) < 0)
            return -1;
        tell_test(c, file, osw_opcheck_name(i), &t);
    }
    return 0;
}

/* An `.out` op against its functional op. */
static int run_out_form(struct check *c, const char *name, const char *file,
                        struct osw_error *err)
{
    struct osw_subtest t;

    if (c->out_form.n_outs == 0 || strcmp(name, "reference") == 0)
        return 0;
    if (osw_out_form_check(c->worker, &c->out_form, &c->op, name, &t, err) < 0)
        return -1;
    tell_test(c, file, "out", &t);
    return 0;
}

static int check_file(struct check *c, const struct osw_gen_case *at,
                      const struct osw_gen_case *other, const char *name,
                      const char *file, struct osw_error *err)
{
    struct osw_bundle bundle = bundle_of(c, at), another;
    struct osw_contract k;

    if (other)
        another = bundle_of(c, other);
    if (osw_worker_contract(c->worker, &bundle, other ? &another : NULL, name,
                            &k, err) < 0)
        return -1;
    if (!k.loaded) {
        wrong(c, file, osw_report_first_error(k.text));
        return 0;
    }
    osw_check_say(
        "ok", file, "loads; exports%s%s%s%s", k.has_prepare ? " _prepare" : "",
        k.has_finish ? " _finish" : "", k.has_meta ? " _meta" : " no _meta",
        k.has_work ? " _work" : "");
    if (c->op.product.a && !k.has_meta && strcmp(name, "reference") == 0)
        osw_check_say(
            "note", file,
            "`product` needs %s_meta here: without it large cases end as "
            "unverified on a processor",
            c->op.folder);
    for (int i = 0; k.supported && i < OSW_N_SUBTESTS; i++)
        tell_test(c, file, osw_subtest_name(i), &k.tests[i]);
    if (!k.supported)
        osw_check_say("skipped", file,
                      "sub-tests: does not run the first case: %s", k.text);
    if (!k.supported)
        return 0;
    if (osw_op_registered_is(&c->op, name))
        return run_opcheck(c, &bundle, name, file, err);
    return run_out_form(c, name, file, err);
}

static int supports(struct check *c, const struct osw_gen_case *at, bool *yes)
{
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_bundle bundle = bundle_of(c, at);

    return osw_worker_supports(c->worker, &bundle, yes, &unfit) < 0 ? -1 : 0;
}

/* The case with its leading size changed, if that can be run. */
static bool resized(struct check *c, const struct osw_gen_case *at,
                    int64_t size, struct osw_gen_case *out)
{
    int64_t from = osw_variant_size(&at->parsed);
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_case changed;
    bool yes = false;

    return from >= 0 && from != size &&
           osw_variant_resize(c->memory, &at->parsed, from, size, &changed,
                              &unfit) == 0 &&
           osw_gen_case_make(c->memory, &c->op, &changed, NULL, 0, out,
                             &unfit) == 0 &&
           supports(c, out, &yes) == 0 && yes;
}

/* A case of other sizes than the first; NULL: there is none. */
static const struct osw_gen_case *other_case(struct check *c,
                                             struct osw_gen_case *room)
{
    static const int64_t sizes[] = {31, 8};
    bool yes = false;

    if (!c->op.reference)
        return NULL;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (resized(c, &c->cases.at[0], sizes[i], room))
            return room;
    for (size_t i = 1; i < c->cases.n && i < 32; i++)
        if (strcmp(c->cases.at[i].text, c->cases.at[0].text) != 0 &&
            supports(c, &c->cases.at[i], &yes) == 0 && yes)
            return &c->cases.at[i];
    return NULL;
}

/* Several operators may come from one file. */
static const char *label_of(struct check *c, const struct osw_op_file *f)
{
    const char *label =
        osw_op_registered_is(&c->op, f->name)
            ? osw_arena_printf(c->memory, "%s__%s", c->op.folder, f->name)
            : NULL;

    return label ? label : f->file;
}

static int check_files(struct check *c, struct osw_error *err)
{
    const struct osw_gen_case *at = &c->cases.at[0], *other;
    struct osw_gen_case room;

    other = other_case(c, &room);
    if (c->op.oracle == OSW_ORACLE_INDEPENDENT &&
        check_file(c, at, other, "reference", c->op.reference->file, err) < 0)
        return -1;
    for (size_t i = 0; i < c->op.n_impls; i++) {
        const struct osw_op_file *f = &c->op.impls[i];

        if (check_file(c, at, other, f->name, label_of(c, f), err) < 0)
            return -1;
    }
    return 0;
}

/* --- cases --- */

static void on_record(void *arg, const struct osw_record *r)
{
    struct check *c = arg;
    enum osw_state state = (enum osw_state)r->status_id;
    const char *mark = osw_check_mark(state);
    char who[160];

    c->n_run++;
    c->n_wrong += mark && strcmp(mark, "wrong") == 0;
    if (!osw_check_tell(&c->told[r->cell], state, r->reason))
        return;
    snprintf(who, sizeof(who), "%s__%s", c->op.folder, c->impls[r->cell]);
    osw_check_say(mark, who, "%s on %s case %s: %s", osw_state_name(state),
                  c->what, c->case_text,
                  osw_report_is_compilers(state, r->reason)
                      ? osw_report_first_error(r->reason)
                      : r->reason);
}

static int run_case(struct check *c, const struct osw_gen_case *at,
                    const char *what, struct osw_error *err)
{
    struct osw_bundle bundle = bundle_of(c, at);

    c->what = what;
    c->case_text = at->text;
    if (c->n_impls == 0)
        return 0;
    return osw_worker_run(c->worker, &bundle, 1, on_record, c, err);
}

/* Variant k of a case, if it has one; fills are those of the case where sizes
 * are, else the op's.  1, 0 or -1.
 */
static int make_variant(struct check *c, const struct osw_gen_case *at,
                        size_t k, struct osw_gen_case *out,
                        struct osw_error *err)
{
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_case changed;
    int made = osw_variant_make(c->memory, &at->parsed, k, &changed, err);

    if (made <= 0)
        return made;
    if (!osw_variant_keeps_sizes(k)) /* unfit: e.g. an index into nothing */
        return osw_gen_case_make(c->memory, &c->op, &changed, NULL, 0, out,
                                 &unfit) == 0;
    if (at->digest) /* code makes values that lie as they lie */
        return 0;
    *out = *at;
    out->parsed = changed;
    out->text = osw_gen_case_text(c->memory, &changed);
    return out->text ? 1 : osw_fail(err, OSW_NO_MEMORY, "no memory for a case");
}

/* Run those of the first case that the reference can take. */
static int run_variants(struct check *c, const struct osw_gen_case *at,
                        struct osw_error *err)
{
    struct osw_text names = OSW_TEXT_INIT;
    uint64_t before = c->n_run;
    int rc = 0;

    for (size_t k = 0; rc >= 0 && osw_variant_name(k); k++) {
        struct osw_gen_case variant;
        bool yes = false;

        rc = make_variant(c, at, k, &variant, err);
        if (rc <= 0 || supports(c, &variant, &yes) < 0 || !yes)
            continue;
        osw_text_printf(&names, "%s%s", names.used ? ", " : "",
                        osw_variant_name(k));
        rc = run_case(c, &variant, osw_variant_name(k), err);
    }
    if (rc >= 0 && names.used)
        osw_check_say("ok", "variants", "%s: of the first case, %llu cells",
                      osw_text_str(&names),
                      (unsigned long long)(c->n_run - before));
    osw_text_free(&names);
    return rc < 0 ? -1 : 0;
}

static int run_cases(struct check *c, uint64_t limit, struct osw_error *err)
{
    uint64_t before = c->n_run, n = c->cases.n < limit ? c->cases.n : limit;

    for (uint64_t i = 0; i < n; i++)
        if (run_case(c, &c->cases.at[i], "given", err) < 0)
            return -1;
    osw_check_say("ok", "cases", "%llu of %llu run, %llu cells",
                  (unsigned long long)n, (unsigned long long)c->cases.n,
                  (unsigned long long)(c->n_run - before));
    return c->op.oracle == OSW_ORACLE_INDEPENDENT
               ? run_variants(c, &c->cases.at[0], err)
               : 0;
}

/* --- op.json: sizes, `outputs`, `backward` --- */

static int check_keys(struct check *c, struct osw_error *err)
{
    struct osw_keys_found f;

    if (osw_keys_check(c->memory, &c->op, &c->cases, &f, err) < 0)
        return -1;
    c->n_wrong += f.n_wrong;
    if (f.n_wrong > 0)
        osw_check_say("wrong", c->op.folder, "%s", f.text);
    if (*f.note)
        osw_check_say("note", "op.json", "%s", f.note);
    return 0;
}

/* Does `outputs` say what the reference makes?  One line for all cases. */
static int check_outputs(struct check *c, uint64_t limit, struct osw_error *err)
{
    struct osw_outputs_found f;

    if (c->op.n_outputs == 0 || c->op.oracle != OSW_ORACLE_INDEPENDENT)
        return 0;
    if (osw_outputs_check(c->worker, &c->op, &c->cases, limit, &f, err) < 0)
        return -1;
    if (f.n_wrong > 0) {
        c->n_wrong++;
        osw_check_say("FAILED", "op.json", "%s", f.text);
        osw_check_say(
            "note", "op.json", "outputs is wrong for %llu of %llu cases",
            (unsigned long long)f.n_wrong, (unsigned long long)f.n_compared);
    } else if (f.n_compared > 0) {
        osw_check_say("ok", "op.json",
                      "outputs is what the reference makes, %llu cases",
                      (unsigned long long)f.n_compared);
    }
    return 0;
}

static int check_gradient(struct check *c, const char *device,
                          struct osw_error *err)
{
    static const char *const marks[] = {[OSW_GRADIENT_UNKNOWN] = "skipped",
                                        [OSW_GRADIENT_RIGHT] = "ok",
                                        [OSW_GRADIENT_WRONG] = "FAILED"};
    enum osw_gradient_verdict verdict;
    char text[512];

    if (!c->op.backward || c->op.oracle != OSW_ORACLE_INDEPENDENT)
        return 0;
    if (osw_gradient_check(c->memory, c->worker, &c->op, device, &c->cases,
                           &verdict, text, err) < 0)
        return -1;
    osw_check_say(marks[verdict], "op.json", "backward: %s", text);
    c->n_wrong += verdict == OSW_GRADIENT_WRONG;
    return 0;
}

/* --- all of it --- */

static int pick_impls(struct check *c, struct osw_error *err)
{
    const char **names =
        osw_arena_array(c->memory, c->op.n_impls, sizeof(*names));

    c->keys = osw_arena_array(c->memory, c->op.n_impls, sizeof(*c->keys));
    c->told = osw_arena_array(c->memory, c->op.n_impls, sizeof(*c->told));
    if (!names || !c->keys || !c->told)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a list");
    for (size_t i = 0; i < c->op.n_impls; i++)
        names[c->n_impls++] = c->op.impls[i].name;
    c->impls = names;
    return 0;
}

static void note_rest(const struct check *c, const char *device)
{
    if (c->n_impls == 0)
        osw_check_say("note", c->op.folder, "no implementation runs on %s",
                      device);
    for (uint32_t i = 0; i < c->n_impls; i++)
        osw_check_say_rest(&c->told[i], c->op.folder, c->impls[i]);
}

/* Cases that code made and that cannot be run are wrong; the others stay. */
static int drop_refused(struct check *c, struct osw_error *err)
{
    struct osw_gen_case *kept =
        osw_arena_array(c->memory, c->cases.n, sizeof(*kept));
    size_t n = 0;

    if (!kept)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    for (size_t i = 0; i < c->cases.n; i++)
        if (c->cases.at[i].why_not)
            wrong(c, "gen_input.py", c->cases.at[i].why_not);
        else
            kept[n++] = c->cases.at[i];
    c->cases = (struct osw_gen_cases){n, kept};
    return 0;
}

static int check_folder(struct check *c, const struct check_opts *o,
                        struct osw_error *err)
{
    if (drop_refused(c, err) < 0 || pick_impls(c, err) < 0)
        return -1;
    osw_check_say("ok", c->op.folder,
                  "is op %s: %zu implementation%s, reference %s", c->op.name,
                  c->op.n_impls, osw_plural(c->op.n_impls),
                  c->op.oracle == OSW_ORACLE_INDEPENDENT ? c->op.reference->file
                                                         : "missing");
    for (size_t i = 0; i < c->op.n_notes; i++)
        osw_check_say("note", c->op.folder, "%s: %s", c->op.notes[i].path,
                      c->op.notes[i].text);
    if (c->cases.n == 0 && c->n_wrong)
        return 0;
    if (c->cases.n == 0)
        return osw_fail(err, OSW_BAD_INPUT, "%s: has no cases", c->op.dir);
    if (osw_op_is_compiled(&c->op) && osw_build_cache_check(NULL, err) < 0)
        return -1;
    if (check_keys(c, err) < 0 ||
        osw_out_form_find(c->memory, &c->op, o->device, &c->out_form, err) <
            0 ||
        check_outputs(c, o->cases, err) < 0 ||
        check_gradient(c, o->device, err) < 0 || check_files(c, err) < 0 ||
        run_cases(c, o->cases, err) < 0)
        return -1;
    note_rest(c, o->device);
    return 0;
}

/* Code that makes cases runs for all folders before any is checked: what it
 * imports is imported once, and serves the worker, too.
 */
static int check_folders(const struct check_opts *o, struct check *folders,
                         const char *const *dirs, size_t n,
                         osw_worker_t **worker, struct osw_error *err)
{
    osw_expand_enable(&(struct osw_campaign){.python = "", .seed = o->seed});
    for (size_t i = 0; i < n; i++)
        if (osw_check_load(folders[i].memory, o->device, dirs[i],
                           &folders[i].op, &folders[i].cases, err) < 0)
            return -1;
    osw_expand_end();
    *worker = osw_check_worker(o->device, o->seed, o->timeout_s, err);
    if (!*worker)
        return -1;
    for (size_t i = 0; i < n; i++) {
        folders[i].worker = *worker;
        if (check_folder(&folders[i], o, err) < 0)
            return -1;
    }
    return 0;
}

static int check_run(void *opts, const struct osw_args *args,
                     struct osw_error *err)
{
    const struct check_opts *o = opts;
    osw_arena_t *memory = osw_arena_create();
    struct check *folders =
        memory ? osw_arena_array(memory, args->n_operands, sizeof(*folders))
               : NULL;
    osw_worker_t *worker = NULL;
    uint64_t n_run = 0, n_wrong = 0;
    int rc = -1;

    for (size_t i = 0; folders && i < args->n_operands; i++)
        folders[i] = (struct check){.memory = memory};
    if (!osw_device_is_kind(o->device))
        osw_opt_refuse_word(osw_opt_find(check_optv, "device"), o->device, err);
    else if (!folders)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a folder");
    else if (osw_build_confine_own(NULL, err) == 0)
        rc = check_folders(o, folders, args->operands, args->n_operands,
                           &worker, err);
    osw_worker_destroy(worker);
    for (size_t i = 0; rc == 0 && i < args->n_operands; i++) {
        n_run += folders[i].n_run;
        n_wrong += folders[i].n_wrong;
    }
    osw_arena_destroy(memory);
    if (rc < 0)
        return -1;
    printf("%llu cell%s run, %llu thing%s wrong\n", (unsigned long long)n_run,
           osw_plural(n_run), (unsigned long long)n_wrong, osw_plural(n_wrong));
    return n_wrong ? 1 : 0;
}

const struct osw_cmd osw_cmd_check = {
    .name = "check",
    .topic = "write ops",
    .operands = "FOLDER...",
    .summary = "run an op folder's contract and say what is wrong with it",
    .details =
        "Checks op.json (`outputs` against what the reference makes, "
        "`backward` against\ndifferences of it), gen_input.json, symbols, and "
        "every implementation on the\nfolder's cases, on empty, single and odd "
        "sizes, and on tensors that begin an\nelement later.  Sub-tests of "
        "each file:\n"
        "  schema    it writes and aliases what the schema says, and no more\n"
        "  meta      <op>_meta says what real runs do\n"
        "  shapes    a case after another one is as in a fresh process\n"
        "  capture   calls can be captured into a graph (--device cuda)\n"
        "  prepare   each prepare has its finish\n"
        "  out       of NAME__out: the bits of NAME beside it, wherever `out` "
        "lies\n",
    .min_operands = 1,
    .max_operands = OSW_CLI_MAX_OPERANDS,
    .opts = check_optv,
    .defaults = &check_defaults,
    .opts_size = sizeof(check_defaults),
    .run = check_run,
};

/* mpi_runner/commands/cmd_export_ops.c - opsweep export-ops: ops as a package
 * of torch's operators
 */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/paths.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/export/cases.h"
#include "mpi_runner/export/choose.h"
#include "ops/build/build_cache.h"
#include "ops/cases/gen_input.h"
#include "ops/catalog/catalog.h"
#include "ops/catalog/op_load.h"
#include "ops/export/export.h"
#include "ops/export/export_file.h"
#include "worker/made.h"
#include "worker/worker.h"

struct export_ops_opts {
    const char *output, *ns, *results;
    bool unjudged;
    uint64_t cases, max_bytes, seed;
};

static const struct export_ops_opts export_ops_defaults = {
    .ns = "myops", .cases = 24, .max_bytes = 1 << 20};

#define AT(field) offsetof(struct export_ops_opts, field)
/* clang-format off */
static const struct osw_opt export_ops_optv[] = {
    { "output", OSW_OPT_STR, AT(output), "make the package in this folder, which must not be there",
      .letter = 'o', .value = "DIR" },
    { "namespace", OSW_OPT_STR, AT(ns), "operators are torch.ops.NS.NAME, the package is NS", .value = "NS" },
    { "results", OSW_OPT_STR, AT(results), "take the implementations that passed there, the fastest first",
      .value = "FILE" },
    { "unjudged", OSW_OPT_FLAG, AT(unjudged), "take implementations without results, too, after the others" },
    { "cases", OSW_OPT_U64, AT(cases), "of each op's cases so many become tests", .letter = 'n', .value = "N" },
    { "max-bytes", OSW_OPT_SIZE, AT(max_bytes), "leave out cases whose tensors are larger", .value = "SIZE" },
    { "seed", OSW_OPT_U64, AT(seed), "seed of the tests' inputs", .value = "N" },
    { 0 },
};
/* clang-format on */
#undef AT

enum { MAX_OPS = 1024 };

struct exporting {
    const struct export_ops_opts *opts;
    osw_arena_t *arena;
    osw_file_t *file; /* NULL: no results */
    osw_worker_t *worker;
    const char *dir; /* that is written, under its name of the moment */
    struct osw_export_op ops[MAX_OPS];
    size_t n_ops, n_left_out;
};

static void left_out(struct exporting *x, const char *what, const char *why)
{
    x->n_left_out++;
    printf("left out  %s: %s\n", what, why);
}

/* --- which ops --- */

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_cases(osw_arena_t *arena, const char *dir)
{
    static const char *const names[] = {"gen_input.json", "gen_input.py",
                                        "op.json"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *path = osw_arena_printf(arena, "%s/%s", dir, names[i]);

        if (path && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static int choose_both(struct exporting *x, const char *dir,
                       struct osw_export_op *out, const char **why,
                       struct osw_error *err)
{
    *out = (struct osw_export_op){.op = NULL};
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++) {
        enum osw_export_device device = (enum osw_export_device)d;
        struct osw_op *op = osw_arena_alloc(x->arena, sizeof(*op));
        const char *said = "";

        if (!op)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
        if (osw_op_load(x->arena, dir, osw_export_device_name(device), op,
                        err) < 0 ||
            osw_choose(x->arena, x->file, x->opts->unjudged, op, device, out,
                       &said, err) < 0)
            return -1;
        if (device == OSW_EXPORT_CPU) {
            out->op = op;
            *why = said;
        }
    }
    return 0;
}

static bool is_twice(const struct exporting *x, const struct osw_op *op)
{
    for (size_t i = 0; i < x->n_ops; i++)
        if (strcmp(x->ops[i].op->folder, op->folder) == 0)
            return true;
    return false;
}

/* One folder: into the package, or left out with the reason. */
static int add_folder(struct exporting *x, const char *dir,
                      struct osw_error *err)
{
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_export_op op;
    const char *why = "";

    if (x->n_ops == MAX_OPS)
        return osw_fail(err, OSW_BAD_INPUT, "expected at most %d ops", MAX_OPS);
    if (choose_both(x, dir, &op, &why, &unfit) < 0 ||
        osw_export_check(op.op, &unfit) < 0) {
        if (unfit.status == OSW_NO_MEMORY)
            return osw_fail(err, OSW_NO_MEMORY, "%s", unfit.text);
        left_out(x, dir, unfit.text);
        return 0;
    }
    if (op.n_impls[OSW_EXPORT_CPU] + op.n_impls[OSW_EXPORT_CUDA] == 0)
        left_out(x, op.op->name, why);
    else if (is_twice(x, op.op))
        left_out(x, dir, "another folder of this name is in the package");
    else
        x->ops[x->n_ops++] = op;
    return 0;
}

static int add_root(struct exporting *x, const char *root, const char *pattern,
                    struct osw_error *err)
{
    struct osw_catalog catalog;

    if (osw_catalog_scan(x->arena, &root, 1, "cpu", &catalog, err) < 0)
        return -1;
    if (pattern && osw_catalog_check(&catalog, pattern, err) < 0)
        return -1;
    for (size_t i = 0; i < catalog.n_ops; i++)
        if ((!pattern || osw_catalog_matches(&catalog.ops[i], pattern)) &&
            add_folder(x, catalog.ops[i].dir, err) < 0)
            return -1;
    for (size_t i = 0; i < catalog.n_left_out && !pattern; i++)
        if (catalog.left_out[i].broken)
            left_out(x, catalog.left_out[i].path, catalog.left_out[i].why);
    return 0;
}

/* A folder of an op, a root of them, or a name in the shipped library. */
static int add_operand(struct exporting *x, const char *word,
                       struct osw_error *err)
{
    const char *library;

    if (is_folder(word))
        return has_cases(x->arena, word) ? add_folder(x, word, err)
                                         : add_root(x, word, NULL, err);
    if (strchr(word, '/'))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected an op's folder, a root of them, or the "
                        "name of a shipped op",
                        word);
    library = osw_paths_library_dir(err);
    return library ? add_root(x, library, word, err) : -1;
}

/* --- tests --- */

static osw_worker_t *open_worker(const struct export_ops_opts *o,
                                 struct osw_error *err)
{
    struct osw_worker_config config = {
        .device = "cpu",
        .n_local = 1,
        .seed = o->seed,
        .max_bytes = UINT64_C(1) << 30,
        .keep_going = true,
        .profile = osw_profile_find("correct"),
        .deadline_ns = INT64_C(30000000000),
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = osw_paths_include_dir(err),
        .sandbox_path = osw_paths_sandbox(err),
    };

    if (!config.include_dir || !config.sandbox_path ||
        osw_build_cache_check(NULL, err) < 0)
        return NULL;
    return osw_worker_create(&config, err);
}

/* Cases of one op, into its place in the list of ops. */
static int add_cases(struct exporting *x, const struct osw_export_op *e,
                     struct osw_json_out *json, struct osw_error *err)
{
    struct osw_export_cases c = {
        .op = e->op, .json = json, .max_bytes = x->opts->max_bytes};
    const char *data = osw_arena_printf(x->arena, "%s.bin", e->op->folder);
    const char *path = osw_arena_printf(x->arena, "%s/tests/%s", x->dir, data);
    struct osw_gen_cases cases = {.n = 0};
    int rc = 0;

    if (!path)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    osw_json_out_object(json, NULL);
    osw_json_out_str(json, "op", e->op->name);
    osw_json_out_str(json, "data", data);
    osw_json_out_list(json, "cases");
    if (e->op->oracle == OSW_ORACLE_INDEPENDENT &&
        !osw_gen_input_missing(e->op))
        rc = osw_gen_input_load(x->arena, e->op, &cases, err);
    for (size_t i = 0; rc == 0 && i < cases.n && c.n_cases < x->opts->cases;
         i++) {
        const struct osw_bundle bundle = {.attempt = 1,
                                          .op_dir = e->op->dir,
                                          .case_text = cases.at[i].text,
                                          .fill = cases.at[i].fill,
                                          .baselines = "",
                                          .check = OSW_CHECK_FULL,
                                          .flops = NAN,
                                          .bytes = NAN};
        char why[512];

        if (cases.at[i].why_not)
            continue;
        c.text = cases.at[i].text;
        rc = osw_worker_make(x->worker, &bundle, osw_export_cases_add, &c, why,
                             err);
    }
    osw_json_out_end(json);
    osw_json_out_end(json);
    if (rc == 0 && c.data.failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    if (rc == 0)
        rc = osw_export_put(path, c.data.data ? c.data.data : "", c.data.used,
                            err);
    osw_text_free(&c.data);
    if (rc < 0)
        return -1;
    printf("exported  %s:", e->op->name);
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
        for (size_t k = 0; k < e->n_impls[d]; k++)
            printf("%s %s%s", k ? "," : "",
                   k   ? ""
                   : d ? "; cuda "
                       : "cpu ",
                   e->impls[d][k].file->name);
    printf("; %llu test cases\n", (unsigned long long)c.n_cases);
    return 0;
}

static int write_cases(struct exporting *x, struct osw_error *err)
{
    const char *path =
        osw_arena_printf(x->arena, "%s/tests/cases.json", x->dir);
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out json = osw_json_out(&text);
    int rc = path ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory for cases");

    osw_json_out_object(&json, NULL);
    osw_json_out_str(&json, "namespace", x->opts->ns);
    osw_json_out_list(&json, "ops");
    for (size_t i = 0; rc == 0 && i < x->n_ops; i++)
        rc = add_cases(x, &x->ops[i], &json, err);
    if (rc == 0) {
        osw_json_out_end(&json);
        osw_json_out_end(&json);
        rc = osw_text_str(&text)
                 ? osw_export_put(path, text.data, text.used, err)
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
    }
    osw_text_free(&text);
    return rc;
}

/* --- all of it --- */

static int remove_one(const char *path, const struct stat *st, int flag,
                      struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    return remove(path);
}

/* Under another name until it is whole. */
static int write_package(struct exporting *x, struct osw_error *err)
{
    const struct export_ops_opts *o = x->opts;
    const struct osw_export e = {o->ns, x->ops, x->n_ops};
    const char *include_dir = osw_paths_include_dir(err);
    size_t n = strlen(o->output);
    int rc = -1;

    while (n > 1 && o->output[n - 1] == '/')
        n--;
    x->dir = osw_arena_printf(x->arena, "%.*s.part-%ld", (int)n, o->output,
                              (long)getpid());
    if (!x->dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
    if (!include_dir)
        return -1;
    x->worker = open_worker(o, err);
    if (x->worker && osw_paths_make_folders(x->dir, 0777, err) == 0 &&
        osw_export_write(x->arena, &e, include_dir, x->dir, err) == 0 &&
        write_cases(x, err) == 0)
        rc = rename(x->dir, o->output) == 0
                 ? 0
                 : osw_fail_sys(err, errno, "cannot make '%s'", o->output);
    if (rc < 0)
        nftw(x->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return rc;
}

static int export_all(struct exporting *x, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct export_ops_opts *o = x->opts;

    if (o->results) {
        x->file = osw_file_open(o->results, err);
        if (!x->file)
            return -1;
    }
    osw_expand_enable(&(struct osw_campaign){.python = "", .seed = o->seed});
    for (size_t i = 0; i < args->n_operands; i++)
        if (add_operand(x, args->operands[i], err) < 0)
            return -1;
    if (x->n_ops == 0)
        return osw_fail(err, OSW_NOTHING, "no op can be exported");
    if (write_package(x, err) < 0)
        return -1;
    printf("%s: %zu op%s, %zu left out; next: make -C %s test\n", o->output,
           x->n_ops, osw_plural(x->n_ops), x->n_left_out, o->output);
    return x->n_left_out ? 1 : 0;
}

static int check_opts(const struct export_ops_opts *o, struct osw_error *err)
{
    if (!o->output)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': expected a folder for the package");
    if (!o->results && !o->unjudged)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected '--results FILE', which says which "
                        "implementations passed, or '--unjudged'");
    if (access(o->output, F_OK) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is there: expected the name of a new folder",
                        o->output);
    return osw_export_check_namespace(o->ns, err);
}

static int export_ops_run(void *opts, const struct osw_args *args,
                          struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct exporting *x = arena ? osw_arena_alloc(arena, sizeof(*x)) : NULL;
    int rc;

    if (!x) {
        osw_arena_destroy(arena);
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
    }
    x->opts = opts;
    x->arena = arena;
    rc = check_opts(opts, err) < 0 ? -1 : export_all(x, args, err);
    osw_worker_destroy(x->worker);
    osw_file_close(x->file);
    osw_arena_destroy(arena);
    return rc;
}

extern const struct osw_cmd osw_cmd_export_ops;
const struct osw_cmd osw_cmd_export_ops = {
    .name = "export-ops",
    .topic = "write ops",
    .operands = "FOLDER|OP...",
    .summary = "make a Python package of torch's operators from op folders",
    .details =
        "FOLDER is an op's folder or a root of them, OP the name of a shipped "
        "op.  The\npackage needs a C compiler to be built (make) and torch "
        "1.13 or newer to run;\nit holds tests with the expected results.  An "
        "op needs `schema` and `outputs` in\nop.json.  Exit code: 0; 1 an op "
        "was left out; 2 bad input; 3 no op is left.\n",
    .min_operands = 1,
    .max_operands = 64,
    .opts = export_ops_optv,
    .defaults = &export_ops_defaults,
    .opts_size = sizeof(export_ops_defaults),
    .run = export_ops_run,
};

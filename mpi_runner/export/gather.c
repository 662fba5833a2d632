/* mpi_runner/export/gather.c - the ops that an export is asked for */
#include "mpi_runner/export/gather.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/export/choose.h"
#include "ops/catalog/catalog.h"
#include "ops/catalog/op_load.h"
#include "ops/scaffold/yaml_ops.h"

void osw_gather_left_out(struct osw_gathered *g, const char *what,
                         const char *why)
{
    g->n_left_out++;
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

static int choose_both(struct osw_gathered *g, const char *dir,
                       struct osw_export_op *out, const char **why,
                       struct osw_error *err)
{
    *out = (struct osw_export_op){.op = NULL};
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++) {
        enum osw_export_device device = (enum osw_export_device)d;
        struct osw_op *op = osw_arena_alloc(g->arena, sizeof(*op));
        const char *said = "";

        if (!op)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for an op");
        if (osw_op_load(g->arena, dir, osw_export_device_name(device), op,
                        err) < 0 ||
            osw_choose(g->arena, g->file, g->opts->unjudged, op, device, out,
                       &said, err) < 0)
            return -1;
        if (device == OSW_EXPORT_CPU) {
            out->op = op;
            *why = said;
        }
    }
    return 0;
}

static bool is_twice(const struct osw_gathered *g, const struct osw_op *op)
{
    for (size_t i = 0; i < g->n_ops; i++)
        if (strcmp(g->ops[i].op->folder, op->folder) == 0)
            return true;
    return false;
}

/* One folder: into the package, or left out with the reason. */
static int add_folder(struct osw_gathered *g, const char *dir,
                      struct osw_error *err)
{
    struct osw_error unfit = OSW_ERROR_INIT;
    struct osw_export_op op;
    const char *why = "";

    if (g->n_ops == OSW_GATHER_MAX_OPS)
        return osw_fail(err, OSW_BAD_INPUT, "expected at most %d ops",
                        OSW_GATHER_MAX_OPS);
    if (choose_both(g, dir, &op, &why, &unfit) < 0 ||
        osw_export_check(op.op, &unfit) < 0) {
        if (unfit.status == OSW_NO_MEMORY)
            return osw_fail(err, OSW_NO_MEMORY, "%s", unfit.text);
        osw_gather_left_out(g, dir, unfit.text);
        return 0;
    }
    if (op.n_impls[OSW_EXPORT_CPU] + op.n_impls[OSW_EXPORT_CUDA] == 0)
        osw_gather_left_out(g, op.op->name, why);
    else if (is_twice(g, op.op))
        osw_gather_left_out(g, dir,
                            "another folder of this name is in the package");
    else
        g->ops[g->n_ops++] = op;
    return 0;
}

static int add_root(struct osw_gathered *g, const char *root,
                    const char *pattern, struct osw_error *err)
{
    struct osw_catalog catalog;

    if (osw_catalog_scan(g->arena, &root, 1, "cpu", &catalog, err) < 0)
        return -1;
    if (pattern && osw_catalog_check(&catalog, pattern, err) < 0)
        return -1;
    for (size_t i = 0; i < catalog.n_ops; i++)
        if ((!pattern || osw_catalog_matches(&catalog.ops[i], pattern)) &&
            add_folder(g, catalog.ops[i].dir, err) < 0)
            return -1;
    for (size_t i = 0; i < catalog.n_left_out && !pattern; i++)
        if (catalog.left_out[i].broken)
            osw_gather_left_out(g, catalog.left_out[i].path,
                                catalog.left_out[i].why);
    return 0;
}

/* A folder of an op, a root of them, or a name in the shipped library. */
static int add_operand(struct osw_gathered *g, const char *word,
                       struct osw_error *err)
{
    const char *library;

    if (is_folder(word))
        return has_cases(g->arena, word) ? add_folder(g, word, err)
                                         : add_root(g, word, NULL, err);
    if (strchr(word, '/'))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected an op's folder, a root of them, or the "
                        "name of a shipped op",
                        word);
    library = osw_paths_library_dir(err);
    return library ? add_root(g, library, word, err) : -1;
}

/* The operators of an ExecuTorch file: in a folder that is there already, or
 * shipped.
 */
static int add_yaml(struct osw_gathered *g, struct osw_error *err)
{
    const char *const *names = NULL;
    size_t n = 0;

    if (osw_yaml_ops_add(g->arena, g->opts->ops_yaml, &names, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool there = false;

        for (size_t k = 0; k < g->n_ops; k++)
            there = there || osw_catalog_matches(g->ops[k].op, names[i]);
        if (!there && add_operand(g, names[i], err) < 0)
            return osw_error_in(err, "'%s'", g->opts->ops_yaml);
    }
    return 0;
}

/* --- gradients --- */

/* The folder beside an op's. */
static const char *beside(osw_arena_t *arena, const struct osw_op *op,
                          const char *folder)
{
    const char *slash = strrchr(op->dir, '/');

    return osw_arena_printf(arena, "%.*s%s",
                            slash ? (int)(slash - op->dir + 1) : 0, op->dir,
                            folder);
}

static const struct osw_op *in_package(const struct osw_gathered *g,
                                       const char *dir)
{
    struct stat want, have;

    for (size_t i = 0; stat(dir, &want) == 0 && i < g->n_ops; i++)
        if (stat(g->ops[i].op->dir, &have) == 0 && want.st_dev == have.st_dev &&
            want.st_ino == have.st_ino)
            return g->ops[i].op;
    return NULL;
}

/* The gradient of an op, which is added to the package if it is not there. */
static int add_gradient(struct osw_gathered *g, size_t at,
                        struct osw_error *err)
{
    const struct osw_op *op = g->ops[at].op, *found;
    const char *dir = beside(g->arena, op, op->backward->folder);
    const char *what = osw_arena_printf(g->arena, "gradient of %s", op->name);
    struct osw_backward_call *call = osw_arena_alloc(g->arena, sizeof(*call));
    struct osw_error unfit = OSW_ERROR_INIT;

    if (!dir || !what || !call)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a gradient");
    found = in_package(g, dir);
    if (!found && is_folder(dir)) {
        if (add_folder(g, dir, err) < 0)
            return -1;
        found = in_package(g, dir);
    }
    if (!found)
        osw_fail(&unfit, OSW_BAD_INPUT, "'%s' is not in the package", dir);
    else
        (void)!osw_op_backward_resolve(g->arena, op, found, call, &unfit);
    if (unfit.status == OSW_NO_MEMORY)
        return osw_fail(err, OSW_NO_MEMORY, "%s", unfit.text);
    if (unfit.status == OSW_OK)
        g->ops[at].backward = call;
    else
        osw_gather_left_out(g, what, unfit.text);
    return 0;
}

static int add_gradients(struct osw_gathered *g, struct osw_error *err)
{
    for (size_t i = 0; i < g->n_ops; i++) /* n_ops grows */
        if (g->ops[i].op->backward && add_gradient(g, i, err) < 0)
            return -1;
    return 0;
}

/* Gradients whose op was taken out. */
static void drop_gradients(struct osw_gathered *g)
{
    for (size_t i = 0; i < g->n_ops; i++) {
        const struct osw_backward_call *b = g->ops[i].backward;
        bool there = false;

        for (size_t k = 0; b && k < g->n_ops; k++)
            there = there || g->ops[k].op == b->op;
        if (!b || there)
            continue;
        g->ops[i].backward = NULL;
        osw_gather_left_out(g, g->ops[i].op->name,
                            "its gradient is not in the package");
    }
}

/* --- entry points --- */

int osw_gather_drop(struct osw_gathered *g, size_t op,
                    enum osw_export_device device, size_t impl, const char *why,
                    struct osw_error *err)
{
    struct osw_export_op *e = &g->ops[op];
    size_t n = e->n_impls[device];
    struct osw_export_impl *left = osw_arena_array(g->arena, n, sizeof(*left));
    const char *what = osw_arena_printf(g->arena, "%s %s %s", e->op->name,
                                        osw_export_device_name(device),
                                        e->impls[device][impl].file->name);

    if (!left || !what)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for implementations");
    for (size_t i = 0, k = 0; i < n; i++)
        if (i != impl)
            left[k++] = e->impls[device][i];
    e->impls[device] = left;
    e->n_impls[device]--;
    osw_gather_left_out(g, what, why);
    return 0;
}

int osw_gather_shrink(struct osw_gathered *g, struct osw_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n_ops; i++)
        if (g->ops[i].n_impls[OSW_EXPORT_CPU] +
            g->ops[i].n_impls[OSW_EXPORT_CUDA])
            g->ops[n++] = g->ops[i];
        else
            osw_gather_left_out(g, g->ops[i].op->name,
                                "no implementation is left");
    g->n_ops = n;
    drop_gradients(g);
    return n ? 0 : osw_fail(err, OSW_NOTHING, "no op can be packaged");
}

int osw_gather_tell(const struct osw_gathered *g)
{
    for (size_t i = 0; i < g->n_ops; i++)
        printf("can be    %s\n", g->ops[i].op->name);
    printf("%zu op%s, %zu left out; nothing was written\n", g->n_ops,
           osw_plural(g->n_ops), g->n_left_out);
    return g->n_left_out ? 1 : 0;
}

int osw_gather_check(const struct osw_export_opts *o, struct osw_error *err)
{
    if (!o->output && !o->dry_run)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output' is missing: expected a folder for "
                        "the package, or '--dry-run'");
    if (!o->results && !o->unjudged)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected '--results FILE', which says which "
                        "implementations passed, or '--unjudged'");
    if (o->output && access(o->output, F_OK) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is there: expected the name of a new folder",
                        o->output);
    return osw_export_check_namespace(o->ns, err);
}

int osw_gather(struct osw_gathered *g, const struct osw_args *args,
               struct osw_error *err)
{
    if (args->n_operands == 0 && !g->opts->ops_yaml)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected an op's folder, a root of them, the name of "
                        "a shipped op, or '--ops-yaml FILE'");
    if (g->opts->results) {
        g->file = osw_file_open(g->opts->results, err);
        if (!g->file)
            return -1;
    }
    osw_expand_enable(
        &(struct osw_campaign){.python = "", .seed = g->opts->seed});
    for (size_t i = 0; i < args->n_operands; i++)
        if (add_operand(g, args->operands[i], err) < 0)
            return -1;
    if ((g->opts->ops_yaml && add_yaml(g, err) < 0) ||
        add_gradients(g, err) < 0)
        return -1;
    return g->n_ops ? 0 : osw_fail(err, OSW_NOTHING, "no op can be exported");
}

struct osw_gathered *osw_gather_begin(const struct osw_export_opts *opts,
                                      struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_gathered *g = arena ? osw_arena_alloc(arena, sizeof(*g)) : NULL;

    if (!g) {
        osw_arena_destroy(arena);
        osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
        return NULL;
    }
    g->opts = opts;
    g->arena = arena;
    return g;
}

void osw_gather_end(struct osw_gathered *g)
{
    osw_file_close(g->file);
    osw_arena_destroy(g->arena);
}

/* mpi_runner/campaign/backend_ops.c - a campaign's ops, with what its backend
 * has for them */
#include "mpi_runner/campaign/backend_ops.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "ops/build/tool.h"
#include "ops/catalog/op_baseline.h"
#include "ops/catalog/op_own.h"
#include "ops/catalog/op_torch.h"

/* To find a package: Python itself starts, nothing is imported. */
#define PROBE_DEADLINE_NS INT64_C(60000000000)

struct osw_made_op {
    struct osw_made_op *next;
    const char *name; /* as asked for */
    struct osw_op op;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the ops");
}

/* --- a backend that is a package --- */

int osw_backend_ops_find_package(const struct osw_campaign *campaign,
                                 const char *package, struct osw_error *err)
{
    static const char script[] =
        "import importlib.util, sys\n"
        "sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
    const char *python = osw_paths_python(campaign->python, err);
    const char *const argv[] = {python, "-c", script, package, NULL};
    const struct osw_tool tool = {.argv = argv,
                                  .deadline_ns = PROBE_DEADLINE_NS};
    struct osw_tool_end end;

    if (!python || osw_tool_run(&tool, &end, err) < 0)
        return -1;
    if (end.exit_code == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "backend '%s': '%s' has no package '%s': install it there, "
                    "or name another interpreter by --python",
                    campaign->backend, python, package);
}

/* --- implementations --- */

/* Of an op of torch; none when the backend has none. */
static int give_impls(const struct osw_backend_ops *c, struct osw_op *op,
                      struct osw_error *err)
{
    const struct osw_op_file *files;
    size_t n = 1;

    if (!c->backend->kernels && !c->backend->module)
        return 0; /* torch's own */
    if (c->backend->kernels) {
        if (osw_kernels_of(c->arena, &c->kernels, op, &files, &n, err) < 0)
            return -1;
    } else {
        files = osw_op_own_file(c->arena, c->backend->name, c->backend->file,
                                op->impls[0].symbol, err);
        if (!files)
            return -1;
    }
    return osw_op_torch_cover(c->arena, op, files, n, err);
}

/* Torch's operator beside them: where that is the baseline that was asked for,
 * and as a baseline alone where other implementations stand in for torch's.
 */
static int give_baseline(const struct osw_backend_ops *c, struct osw_op *op,
                         struct osw_error *err)
{
    bool torch = c->backend->kernels || c->backend->module;
    bool asked = osw_op_baseline_known(c->baseline);

    if ((!asked && !torch) || (torch && op->n_impls == 0))
        return 0;
    return osw_op_baseline_add(c->arena, asked ? c->baseline : "aten", !asked,
                               op, op, err);
}

static int make(const struct osw_backend_ops *c, const char *name,
                const struct osw_op *library, struct osw_op *out,
                struct osw_error *err)
{
    return osw_op_torch_make(c->arena, name, library, out, err) < 0 ||
                   give_impls(c, out, err) < 0
               ? -1
               : give_baseline(c, out, err);
}

const struct osw_op *osw_backend_ops_make_op(void *backend_ops,
                                             const char *name,
                                             struct osw_error *err)
{
    struct osw_backend_ops *c = backend_ops;
    struct osw_made_op *o;

    for (o = c->made; o; o = o->next)
        if (strcmp(o->name, name) == 0)
            return &o->op;
    o = osw_arena_array(c->arena, 1, sizeof(*o));
    if (!o || !(o->name = osw_arena_strdup(c->arena, name))) {
        no_memory(err);
        return NULL;
    }
    if (make(c, name, NULL, &o->op, err) < 0)
        return NULL;
    o->next = c->made;
    c->made = o;
    return &o->op;
}

/* The catalog's ops with the backend's implementations. */
static int cover_catalog(struct osw_backend_ops *c, struct osw_error *err)
{
    struct osw_op *ops =
        osw_arena_array(c->arena, c->catalog.n_ops, sizeof(*ops));

    if (!ops)
        return no_memory(err);
    for (size_t i = 0; i < c->catalog.n_ops; i++) {
        ops[i] = c->catalog.ops[i];
        if (c->backend->torch
                ? make(c, ops[i].name, &c->catalog.ops[i], &ops[i], err) < 0
                : give_baseline(c, &ops[i], err) < 0)
            return -1;
    }
    c->catalog.ops = ops;
    return 0;
}

/* One that no op is taken from is a mistake as well, if it is not there. */
static int check_library(const struct osw_campaign *campaign,
                         struct osw_error *err)
{
    if (!*campaign->library || access(campaign->library, R_OK) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--library': cannot read '%s' as a folder of ops: "
                    "%s",
                    campaign->library, strerror(errno));
}

static int scan(struct osw_backend_ops *c, const struct osw_campaign *campaign,
                struct osw_error *err)
{
    if (osw_catalog_scan(c->arena, &c->root, 1, campaign->device, &c->catalog,
                         err) < 0)
        return osw_error_in(err, "option '--%s'",
                            c->root == campaign->library ? "library"
                                                         : "custom-ops-root");
    if (c->backend->kernels &&
        osw_kernels_scan(c->arena, campaign->kernels_dir, &c->kernels, err) < 0)
        return osw_error_in(err, "option '--kernels-dir'");
    return 0;
}

int osw_backend_ops_load(osw_arena_t *arena,
                         const struct osw_campaign *campaign,
                         struct osw_backend_ops *out, struct osw_error *err)
{
    struct osw_backend_ops c = {.arena = arena,
                                .backend = osw_backend_find(campaign->backend),
                                .root = osw_campaign_root(campaign),
                                .baseline = campaign->baseline};

    if (c.backend->module &&
        osw_backend_ops_find_package(campaign, c.backend->module, err) < 0)
        return -1;
    if (check_library(campaign, err) < 0 || scan(&c, campaign, err) < 0 ||
        cover_catalog(&c, err) < 0)
        return -1;
    *out = c;
    return 0;
}

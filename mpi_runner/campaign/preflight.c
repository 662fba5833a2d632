/* mpi_runner/campaign/preflight.c - what a campaign needs of the node that
 * starts it */
#include "mpi_runner/campaign/preflight.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/log.h"
#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "ops/build/build_cache.h"
#include "ops/build/build_command.h"
#include "ops/build/tool.h"
#include "ops/catalog/backend.h"
#include "worker/scratch.h"

#define TRY_NS INT64_C(60000000000) /* an interpreter on a slow file system */

/* --- the driver --- */

/* Loading the library neither opens a GPU nor makes a context. */
static int check_driver(const char *device, struct osw_error *err)
{
    void *so;

    if (strcmp(device, "cuda") != 0)
        return 0;
    so = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!so)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--device cuda': expected an NVIDIA driver on "
                        "this node, found none (%s); opsweep doctor --device "
                        "cuda says more, --device cpu needs none",
                        dlerror());
    dlclose(so);
    return 0;
}

/* --- the interpreter --- */

static bool is_python(const struct osw_op_file *file)
{
    return file && strcmp(file->language->suffix, ".py") == 0;
}

/* How many cells that run need Python. */
static uint64_t count_python(const struct osw_plan *plan)
{
    uint64_t n = 0;

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        for (uint32_t k = 0; k < b->n_run; k++)
            n += b->op && (is_python(b->op->reference) ||
                           is_python(osw_op_impl(b->op, b->impls[k])));
    }
    return n;
}

/* Does it run Python?  One that did is not tried again. */
static int try_python(const char *python, struct osw_error *err)
{
    static char good[PATH_MAX];
    const char *const argv[] = {python, "-S", "-c", "print(6 * 7)", NULL};
    struct osw_text said = OSW_TEXT_INIT;
    const struct osw_tool tool = {.argv = argv,
                                  .deadline_ns = TRY_NS,
                                  .sink = osw_tool_to_text,
                                  .sink_arg = &said};
    struct osw_tool_end end = {.exit_code = -1};
    const char *text;
    int rc;

    if (strcmp(good, python) == 0)
        return 0;
    rc = osw_tool_run(&tool, &end, err);
    text = osw_text_str(&said) ? osw_text_str(&said) : "";
    if (rc == 0 && end.exit_code == 0 && strstr(text, "42"))
        snprintf(good, sizeof(good), "%s", python);
    else if (rc == 0)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s': expected a python3, found a program that %s%.*s "
                      "(--python, OPSWEEP_PYTHON)",
                      python,
                      end.late ? "does not end" : "does not run Python: ",
                      end.late ? 0 : (int)strcspn(text, "\n"), text);
    osw_text_free(&said);
    return rc;
}

/* The interpreter that the campaign, or else the environment, names; NULL: none
 * is named.
 */
static const char *named_python(const struct osw_campaign *campaign)
{
    const char *named =
        *campaign->python ? campaign->python : getenv("OPSWEEP_PYTHON");

    return named && *named ? named : NULL;
}

static int check_python(const struct osw_campaign *campaign,
                        const struct osw_plan *plan, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    uint64_t n = count_python(plan);
    const char *python;

    if (n == 0)
        return 0;
    python = osw_paths_python(campaign->python, &why);
    if (python && try_python(python, &why) == 0)
        return 0;
    if (n < plan->n_run && !named_python(campaign))
        return 0; /* the rest is judged */
    return osw_fail(err, why.status, "%s", why.text);
}

int osw_preflight_python_there(const struct osw_campaign *campaign,
                               struct osw_error *err)
{
    const char *path = named_python(campaign);
    struct osw_error why = OSW_ERROR_INIT;
    char folder[PATH_MAX];
    const char *slash;

    if (!path || osw_paths_python(campaign->python, &why))
        return 0;
    slash = strrchr(path, '/');
    snprintf(folder, sizeof(folder), "%.*s/", (int)(slash ? slash - path : 0),
             path);
    if (!slash || access(folder, F_OK) == 0)
        return osw_fail(err, why.status, "%s", why.text);
    osw_log(OSW_LOG_WARNING, "%s on this machine", why.text);
    return 0;
}

/* --- the compilers --- */

/* Of cells that run. */
struct uncompiled {
    uint64_t n; /* a compiler is missing */
    bool named; /* by the environment, one of them */
    const char *file;
    struct osw_error why; /* of the first */
    bool known[OSW_N_LANGUAGES], missing[OSW_N_LANGUAGES];
};

static bool look_for(const struct osw_op_file *file, struct uncompiled *u)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_build_command_find(file->path, &why) == 0)
        return false;
    if (!u->file) {
        u->file = file->path;
        u->why = why;
    }
    u->named = u->named || osw_build_command_is_named(file->path);
    return true;
}

/* Each language is looked for once: there may be many cells. */
static bool is_missing(const struct osw_op_file *file, struct uncompiled *u)
{
    size_t row;

    if (!file)
        return false;
    row = osw_language_row(file->language);
    if (!u->known[row])
        u->missing[row] = look_for(file, u);
    u->known[row] = true;
    return u->missing[row];
}

static int check_compilers(const struct osw_plan *plan, struct osw_error *err)
{
    struct uncompiled u = {.n = 0};

    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];
        bool all = b->op && b->n_run > 0 && is_missing(b->op->reference, &u);

        for (uint32_t k = 0; b->op && k < b->n_run; k++)
            u.n += all || is_missing(osw_op_impl(b->op, b->impls[k]), &u);
    }
    if (u.n == 0 || (u.n < plan->n_run && !u.named))
        return 0; /* the rest is judged */
    return osw_fail(err, OSW_BAD_INPUT, "%s; '%s' is to be compiled with it",
                    u.why.text, u.file);
}

/* --- the build cache --- */

/* Can compilers leave objects there?  Whether one is needed, workers see. */
static int check_cache(const struct osw_plan *plan, struct osw_error *err)
{
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (b->n_run > 0 && osw_op_is_compiled(b->op))
            return osw_build_cache_check_read(NULL, err);
    }
    return 0;
}

/* --- */

int osw_preflight_node(struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur < OSW_PREFLIGHT_OPEN_FILES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "the limit on open files is %llu, expected at least "
                        "%d; cure: ulimit -n 4096",
                        (unsigned long long)files.rlim_cur,
                        OSW_PREFLIGHT_OPEN_FILES);
    return osw_paths_check_temp_dir(osw_scratch_place(), &why) == 0
               ? 0
               : osw_fail(err, why.status,
                          "%s; cure: " OSW_PREFLIGHT_TEMP_DIR_CURE, why.text);
}

int osw_preflight_plan(const struct osw_campaign *campaign,
                       const struct osw_plan *plan, bool here,
                       struct osw_error *err)
{
    if (check_python(campaign, plan, err) < 0 ||
        (here && check_compilers(plan, err) < 0))
        return -1;
    return check_cache(plan, err);
}

int osw_preflight_check(const struct osw_campaign *campaign,
                        const struct osw_plan *plan, struct osw_error *err)
{
    const struct osw_backend *backend = osw_backend_find(campaign->backend);
    uint64_t n = count_python(plan);

    if (check_driver(campaign->device, err) < 0)
        return -1;
    if (n == 0 || n < plan->n_run)
        return 0;
    return backend->judged_by
               ? osw_backend_ops_find_package(campaign, backend->judged_by, err)
               : 0;
}

void osw_preflight_report(const struct osw_campaign *campaign,
                          const struct osw_plan *plan)
{
    const struct osw_plan_bundle *b;
    uint64_t n = count_python(plan);
    struct osw_error err = OSW_ERROR_INIT;

    for (size_t i = 0; (b = osw_plan_next_broken(plan, &i));)
        osw_log(OSW_LOG_ERROR,
                "op '%s' was not judged: its folder is wrong, see the warning",
                b->op_name);
    if (n > 0 && !osw_paths_python(campaign->python, &err))
        osw_log(OSW_LOG_ERROR, "%" PRIu64 " cell%s Python: %s", n,
                n == 1 ? " needs" : "s need", err.text);
}

/* mpi_runner/campaign/preflight.c - what a campaign needs of the node that
 * starts it */
#include "mpi_runner/campaign/preflight.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include "common/log.h"
#include "common/paths.h"
#include "mpi_runner/campaign/backend_ops.h"
#include "ops/build/build_cache.h"
#include "ops/catalog/backend.h"

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

/* --- */

int osw_preflight_check(const struct osw_campaign *campaign,
                        const struct osw_plan *plan, struct osw_error *err)
{
    const struct osw_backend *backend = osw_backend_find(campaign->backend);
    uint64_t n = count_python(plan);

    if (check_driver(campaign->device, err) < 0)
        return -1;
    if (n == 0 || n < plan->n_run)
        return 0;
    if (!osw_paths_python(campaign->python, err))
        return -1;
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

int osw_preflight_cache(const struct osw_plan *plan, struct osw_error *err)
{
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (b->n_run > 0 && osw_op_is_compiled(b->op))
            return osw_build_cache_check_read(NULL, err);
    }
    return 0;
}

/* mpi_runner/campaign/backend_ops.h - a campaign's ops, with what its backend
 * has for them
 *
 * Upstream: campaign, catalog, kernels.  Downstream: plan, list, rerun.
 */
#ifndef OSW_MPI_RUNNER_BACKEND_OPS_H
#define OSW_MPI_RUNNER_BACKEND_OPS_H

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "ops/catalog/backend.h"
#include "ops/catalog/catalog.h"
#include "ops/catalog/kernels.h"

struct osw_made_op;

struct osw_backend_ops {
    osw_arena_t *arena; /* of all below */
    const struct osw_backend *backend;
    const char *root;     /* of the catalog's folders */
    const char *baseline; /* of the campaign */
    struct osw_catalog catalog;
    struct osw_kernels kernels; /* n 0: of another backend */
    struct osw_made_op *made;   /* ops that the catalog has not */
};

/* Read the folders, and give their ops the backend's implementations.  Blocks
 * on the file system; a backend that is a Python package is looked for in the
 * campaign's interpreter.  Everything in *out lives in the arena.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  see osw_catalog_scan and osw_kernels_scan; Python has not
 *                  the backend's package
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_backend_ops_load(osw_arena_t *arena,
                         const struct osw_campaign *campaign,
                         struct osw_backend_ops *out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Has the campaign's Python that package?  It is looked for, not imported.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT, OSW_SYSTEM.
 */
int osw_backend_ops_find_package(const struct osw_campaign *campaign,
                                 const char *package,
                                 struct osw_error *err) OSW_MUST_CHECK;

/* For the `make_op` of struct osw_suite_request, with *backend_ops as
 * its argument: an op of torch that the catalog has not.  NULL with err set
 * when it is no operator's name, or without memory.
 */
const struct osw_op *osw_backend_ops_make_op(void *backend_ops,
                                             const char *name,
                                             struct osw_error *err);

#endif /* OSW_MPI_RUNNER_BACKEND_OPS_H */

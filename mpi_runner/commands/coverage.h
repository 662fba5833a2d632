/* mpi_runner/commands/coverage.h - how many of the cases of some traces have
 * implementations
 *
 * Upstream: campaign (traces, ops, root).  Downstream: `opsweep list`.
 */
#ifndef OSW_MPI_RUNNER_COVERAGE_H
#define OSW_MPI_RUNNER_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"

/* What there is for a case.  One may be of the first two at once; each of the
 * last two excludes all others.
 */
/* clang-format off */
#define OSW_COVERAGE_MAP(X)                                                    \
    /* NAME, key, column, words */                                             \
    X(CPU,  "native_cpu",  "cpu",  "native on a processor")                    \
    X(CUDA, "native_cuda", "cuda", "native on CUDA")                           \
    X(ATEN, "aten_only",   "aten", "through aten only")                        \
    X(NONE, "none",        "none", "not at all")
/* clang-format on */

enum osw_coverage_kind {
#define X(NAME, key, column, words) OSW_COVERAGE_##NAME,
    OSW_COVERAGE_MAP(X)
#undef X
};

enum { OSW_N_COVERAGE = OSW_COVERAGE_NONE + 1 };

struct osw_coverage_count {
    uint64_t operators, cases, calls;
};

struct osw_coverage_row {
    const char *op; /* canonical; as in the traces if no folder covers it */
    struct osw_coverage_count all;                /* operators: 1 */
    struct osw_coverage_count of[OSW_N_COVERAGE]; /* operators: any case is */
};

struct osw_coverage {
    size_t n;
    struct osw_coverage_row *rows; /* [n] most cases without native code first,
                                      then most on one kind of device only */
    struct osw_coverage_row total;
    const char *torch; /* whose operators were looked at: "torch 2.4.0"; "":
                          there is none, and names of aten count as its */
};

/* Count the distinct cases of the campaign's traces, and their calls.  Reads
 * the op folders as they are for each kind of device, the traces, and asks the
 * campaign's interpreter which of the other operators its torch has (seconds).
 * *out lives in the arena.
 *
 * Returns 0, or -1 with err set: see osw_catalog_scan and osw_suite_expand.
 */
int osw_coverage_load(osw_arena_t *arena, const struct osw_campaign *campaign,
                      struct osw_coverage *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* For osw_coverage_load and its test: put the rows in order and sum them up. */
void osw_coverage_finish(struct osw_coverage *coverage);

#endif /* OSW_MPI_RUNNER_COVERAGE_H */

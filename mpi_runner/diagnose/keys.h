/* mpi_runner/diagnose/keys.h - do the keys of op.json fit the cases?
 *
 * Upstream: `opsweep check`.
 */
#ifndef OSW_MPI_RUNNER_KEYS_H
#define OSW_MPI_RUNNER_KEYS_H

#include "common/arena.h"
#include "ops/cases/gen_case.h"
#include "ops/catalog/op.h"

struct osw_keys_found {
    uint64_t n_wrong; /* keys */
    char text[512];   /* what is wrong with the first of them */
    char note[512];   /* what is missing, perhaps; or "" */
};

/* Look at the expressions of sizes, without which a campaign skips a case, and
 * at the fills of an op without a schema (with one, reading op.json has seen to
 * them).  Noted is a case all of whose tensors are integers of the default
 * fill, which are small, when neither op.json nor the op's name says whether
 * large ones are tried as well (the trial `wide`); and that no case has rows
 * that are long enough for the trial `offset`.  0, or -1 with err set.
 */
int osw_keys_check(struct osw_arena *memory, const struct osw_op *op,
                   const struct osw_gen_cases *cases,
                   struct osw_keys_found *found,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_KEYS_H */

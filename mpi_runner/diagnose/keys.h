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
};

/* Look at the expressions of sizes, without which a campaign skips a case, and
 * at the fills of an op without a schema (with one, reading op.json has seen to
 * them).  0, or -1 with err set.
 */
int osw_keys_check(struct osw_arena *memory, const struct osw_op *op,
                   const struct osw_gen_cases *cases,
                   struct osw_keys_found *found,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The first case all of whose tensors are integers of the default fill, which
 * are small: whether large ones are tried as well, the trial `wide`, neither
 * op.json nor the op's name says.  NULL: there is none, or no memory.
 */
const char *osw_keys_small_integers(struct osw_arena *memory,
                                    const struct osw_op *op,
                                    const struct osw_gen_cases *cases);

#endif /* OSW_MPI_RUNNER_KEYS_H */

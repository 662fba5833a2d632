/* mpi_runner/campaign/generated.h - what generators said, so that none is asked
 * twice
 *
 * Planning asks more than once in a process; and the process that starts the
 * ranks plans before rank 0 does, so it leaves what it heard in a file.
 *
 * Upstream: planning (expand.h), `opsweep run`.
 */
#ifndef OSW_MPI_RUNNER_GENERATED_H
#define OSW_MPI_RUNNER_GENERATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"

struct osw_generated {
    const char *path, *asked; /* of the generator; what it was asked for */
    uint64_t seed;
    const char *text; /* [n] lines, or why there are none; a NUL follows */
    size_t n;
    bool failed;
};

/* NULL: it was not asked that.  Valid until osw_generated_forget(). */
const struct osw_generated *
osw_generated_find(const char *path, const char *asked, uint64_t seed);

/* Remember a copy.  Without memory it is forgotten. */
void osw_generated_keep(const struct osw_generated *what);

/* Free all of it. */
void osw_generated_forget(void);

/* All that is remembered, as bytes: a u32 mark, then for each a u64 seed, a u8
 * failed, the strings path and asked, and a u64 n before the text.
 */
void osw_generated_encode(struct osw_text *out);

/* Remember what such bytes hold.  -1 with err set, OSW_BAD_INPUT: they are
 * none; what came before the error may be remembered.
 */
int osw_generated_decode(const void *bytes, size_t n,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Leave all of it for rank 0, in a private file that OPSWEEP_GENERATED names
 * to it; osw_generated_remove() when the ranks have ended.  Where that fails,
 * rank 0 asks again.
 */
void osw_generated_leave(void);
void osw_generated_remove(void);

/* In rank 0: remember what was left. */
void osw_generated_take(void);

#endif /* OSW_MPI_RUNNER_GENERATED_H */

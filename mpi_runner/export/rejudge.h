/* mpi_runner/export/rejudge.h - the built objects of a package, judged again
 *
 * They are compiled by other flags than those of a campaign, under other names.
 * Each object is linked once more, by itself, with the names that the judge
 * looks for, into a folder that is otherwise the op's own; then a campaign of
 * our own judges all of its cases.
 *
 * Upstream: mpi_runner/export/compile.h.  Downstream: `opsweep package`.
 */
#ifndef OSW_MPI_RUNNER_REJUDGE_H
#define OSW_MPI_RUNNER_REJUDGE_H

#include "mpi_runner/export/compile.h"
#include "mpi_runner/export/gather.h"

/* Judge what make left in `dir` by these flags.  Implementations with a cell
 * that failed are taken out of *g, as are those without one that passed, unless
 * nothing was known of them before; ops without any left, too.  Each is printed
 * with the reason.  *n_out is their number; the others' `packaged` is set.
 * Where there is no GPU, GPU code is kept, and `packaged` says so.  Returns 0,
 * or -1 with err set.
 */
int osw_rejudge(struct osw_gathered *g, const char *dir,
                const struct osw_compile_flags *flags, size_t *n_out,
                struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_REJUDGE_H */

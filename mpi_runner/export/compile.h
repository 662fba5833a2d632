/* mpi_runner/export/compile.h - make, in a package's folder
 *
 * Upstream: mpi_runner/export/package.h.  Downstream:
 * mpi_runner/export/rejudge.h, `opsweep package`.
 */
#ifndef OSW_MPI_RUNNER_COMPILE_H
#define OSW_MPI_RUNNER_COMPILE_H

#include "mpi_runner/export/gather.h"

struct osw_compile_flags {
    const char *march; /* "" for the compiler's own */
    bool openmp;
};

/* Does the compiler know the processor?  0, or -1 with err set: OSW_BAD_INPUT
 * with its words.  Blocks for some 10 ms.
 */
int osw_compile_check(const struct osw_compile_flags *flags,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Run make in `dir` on target "all", or of another makefile in it.  What it
 * says is appended to *said, of which the last part is kept.  0, or -1 with err
 * set: OSW_SYSTEM, or OSW_BAD_INPUT when make fails.
 */
int osw_compile_make(const char *dir, const struct osw_compile_flags *flags,
                     const char *makefile, const char *target,
                     struct osw_text *said,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Compile everything.  Implementations that do not compile are taken out of *g
 * and printed with what the compiler says, and *n_out is their number; GPU code
 * is taken out where there is no nvcc.  0, or -1 with err set.
 */
int osw_compile(struct osw_gathered *g, const char *dir,
                const struct osw_compile_flags *flags, size_t *n_out,
                struct osw_error *err) OSW_MUST_CHECK;

/* The object of an implementation: "obj/relu__plain.c.o"; NULL: no memory. */
const char *osw_compile_object(osw_arena_t *arena,
                               const struct osw_export_op *op,
                               enum osw_export_device device,
                               size_t impl) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_COMPILE_H */

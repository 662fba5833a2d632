/* mpi_runner/export/gather.h - the ops that an export is asked for
 *
 * Upstream: operands and options of a command.  Downstream:
 * mpi_runner/export/package.h writes them.
 */
#ifndef OSW_MPI_RUNNER_GATHER_H
#define OSW_MPI_RUNNER_GATHER_H

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/error.h"
#include "mpi_runner/export/export_opts.h"
#include "ops/export/export.h"
#include "results/file/file.h"

enum { OSW_GATHER_MAX_OPS = 1024 };

struct osw_gathered {
    const struct osw_export_opts *opts;
    osw_arena_t *arena; /* of all, itself too */
    osw_file_t *file;   /* NULL: no results */
    struct osw_export_op ops[OSW_GATHER_MAX_OPS];
    size_t n_ops, n_left_out;
};

/* Options that can be read without files: 0, or -1 with err set. */
int osw_gather_check(const struct osw_export_opts *opts,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Of no ops so far, for osw_gather_end(); or NULL with err set (OSW_NO_MEMORY).
 */
struct osw_gathered *osw_gather_begin(const struct osw_export_opts *opts,
                                      struct osw_error *err) OSW_MUST_CHECK;

/* Fill *g: each operand is an op's folder, a root
 * of them or the name of a shipped op.  What cannot be exported is printed with
 * the reason, and counted.  0, or -1 with err set; OSW_NOTHING when no op is
 * left.
 */
int osw_gather(struct osw_gathered *g, const struct osw_args *args,
               struct osw_error *err) OSW_MUST_CHECK;
void osw_gather_end(struct osw_gathered *g);

/* Take implementation `impl` of op `op` out, print it with the reason and count
 * it.  0, or -1 with err set.
 */
int osw_gather_drop(struct osw_gathered *g, size_t op,
                    enum osw_export_device device, size_t impl, const char *why,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Take out ops that have no implementation left, and print them.  0, or -1 with
 * err set: OSW_NOTHING when no op is left.
 */
int osw_gather_shrink(struct osw_gathered *g,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Print which ops are left, for --dry-run.  Returns the exit code. */
int osw_gather_tell(const struct osw_gathered *g);

/* Print and count it. */
void osw_gather_left_out(struct osw_gathered *g, const char *what,
                         const char *why);

#endif /* OSW_MPI_RUNNER_GATHER_H */

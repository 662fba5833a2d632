/* ops/catalog/kernels.h - folders of kernels, named by the operators they
 * replace
 *
 * The trees that BackendBench's directory backend reads and its generators
 * leave, as they are.  docs/OPS_REFERENCE.md has the forms.
 *
 * Upstream: --kernels-dir.  Downstream: mpi_runner/campaign/backend_ops.c,
 * which makes them the implementations of a suite's ops.
 */
#ifndef OSW_OPS_KERNELS_H
#define OSW_OPS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"

/* One file. */
struct osw_kernel {
    const char *op; /* canonical: "add.Tensor", "aten.relu.default" */
    bool any;       /* its folder names no overload: it is of every one */
    struct osw_op_file file;
};

struct osw_kernels {
    const char *root;
    size_t n;
    const struct osw_kernel *at; /* [n] those that count most come first */
    size_t n_notes;
    const struct osw_note *notes; /* [n_notes] taken of several, passed over,
                                     not understood */
};

/* Read the tree: op folders under root, under root/evaluation_only, under
 * root/run_*, and under folders of other names that hold op folders; of several
 * runs the last by name first.  Nothing is loaded.  Blocks on the file
 * system.  Everything lives in the arena.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  root is no folder, holds no kernel, or too many folders
 *   OSW_SYSTEM     a folder cannot be read
 *   OSW_NO_MEMORY
 */
int osw_kernels_scan(osw_arena_t *arena, const char *root,
                     struct osw_kernels *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Those of an op: with its overload, or where there are none, those of every
 * overload.  *files [*n] live in the arena.  Returns 0, or -1 with err set to
 * OSW_NO_MEMORY.
 */
int osw_kernels_of(osw_arena_t *arena, const struct osw_kernels *kernels,
                   const struct osw_op *op, const struct osw_op_file **files,
                   size_t *n, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_KERNELS_H */

/* ops/export/export.h - ops of folders as a package of torch's operators
 *
 * A package is a folder that needs a C compiler and nothing of opsweep:
 *
 *     Makefile             builds NS/libNS.so, and NS/libNS_cuda.so with nvcc
 *     csrc/table_*.c       generated: which implementations, best first
 *     csrc/impl/           generated: each source under names of its own
 *     csrc/ops/            the op folders' sources, as they are
 *     csrc/include/        opsweep/op.h, and the runtime (kit/export.h; for
 *                          torch, TVM-FFI and ExecuTorch export_*.h)
 *     custom_ops.yaml      generated, for ExecuTorch: `.out` forms, and the
 *     functions.yaml       torch's own operators that they are;
 *     et/kernels.cpp       the kernels that both name
 *     NS/                  the Python package: kit, and generated files
 *     tests/               kit/test_ops.py, cases with expected results
 *
 * Upstream: `opsweep export-ops`, which chose the implementations.
 */
#ifndef OSW_OPS_EXPORT_H
#define OSW_OPS_EXPORT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/catalog/op.h"
#include "ops/catalog/op_backward.h"

enum osw_export_device {
    OSW_EXPORT_CPU,
    OSW_EXPORT_CUDA,
    OSW_EXPORT_N_DEVICES
};

/* "cpu", "cuda". */
const char *osw_export_device_name(enum osw_export_device device);

/* An implementation that goes into the package. */
struct osw_export_impl {
    const struct osw_op_file *file;
    const char *why;      /* what was seen of it: for ops.json */
    const char *packaged; /* and of its object in the package; NULL: nothing */
};

struct osw_export_op {
    const struct osw_op *op;
    /* By device, best first. */
    size_t n_impls[OSW_EXPORT_N_DEVICES];
    const struct osw_export_impl *impls[OSW_EXPORT_N_DEVICES];
    const struct osw_backward_call *backward; /* to an op of the package; NULL:
                                                 no gradient */
};

struct osw_export {
    const char *ns; /* namespace, package and library: a name of Python */
    const struct osw_export_op *ops; /* [n_ops] */
    size_t n_ops;
};

/* Is that a name of C and Python?  0, or -1 with err set (OSW_BAD_INPUT). */
int osw_export_check_namespace(const char *ns,
                               struct osw_error *err) OSW_MUST_CHECK;

/* Can the op be called by torch?  0, or -1 with err set (OSW_BAD_INPUT): what
 * is missing in op.json, and what to add.
 */
int osw_export_check(const struct osw_op *op,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The argument that return `i` is; -1: a new tensor.  And back. */
int osw_export_alias_of(const struct osw_schema *schema, uint32_t i);
bool osw_export_is_returned(const struct osw_schema *schema, uint32_t arg);

/* Texts of generated files, appended to *out. */
void osw_export_table_c(const struct osw_export *e,
                        enum osw_export_device device, struct osw_text *out);
void osw_export_wrapper_c(const struct osw_export *e, size_t op, size_t impl,
                          enum osw_export_device device, struct osw_text *out);
void osw_export_makefile(const struct osw_export *e, struct osw_text *out);
void osw_export_table_py(const struct osw_export *e, struct osw_text *out);
void osw_export_init_py(const struct osw_export *e, struct osw_text *out);
void osw_export_setup_py(const struct osw_export *e, struct osw_text *out);
void osw_export_provenance(const struct osw_export *e, struct osw_text *out);

/* Can ExecuTorch call the op, which torch can?  0, or -1 with err set
 * (OSW_BAD_INPUT).
 */
int osw_export_et_check(const struct osw_export_op *op,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Likewise, for ExecuTorch; an op that it cannot call is left out.  0, or -1
 * with err set (OSW_NO_MEMORY).
 */
int osw_export_custom_ops_yaml(osw_arena_t *arena, const struct osw_export *e,
                               struct osw_text *out,
                               struct osw_error *err) OSW_MUST_CHECK;
int osw_export_functions_yaml(osw_arena_t *arena, const struct osw_export *e,
                              struct osw_text *out,
                              struct osw_error *err) OSW_MUST_CHECK;
int osw_export_kernels_cpp(osw_arena_t *arena, const struct osw_export *e,
                           struct osw_text *out,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Write all of it below `dir`, which is there, but for tests' cases.
 * include_dir holds opsweep/op.h.  0, or -1 with err set.
 */
int osw_export_write(osw_arena_t *arena, const struct osw_export *e,
                     const char *include_dir, const char *dir,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_EXPORT_H */

/* ops/notation/ops_yaml.h - an ExecuTorch file of operators and their kernels
 *
 * As custom_ops.yaml and functions.yaml are written: a list of entries, each
 * with `func: SCHEMA` or `op: NAME`, and `kernels`, a list of `arg_meta: null`
 * and `kernel_name: NAMESPACE::FUNCTION`.  Unlike schema_yaml.h, which passes
 * over what it does not know in torch's own files, this reads every key.
 *
 * Upstream: the text of a file.  Downstream: `opsweep new --ops-yaml`.
 */
#ifndef OSW_OPS_OPS_YAML_H
#define OSW_OPS_OPS_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/schema.h"

/* Bounds on a text from outside; more is an error. */
enum {
    OSW_OPS_YAML_MAX_BYTES = 16 << 20,
    OSW_OPS_YAML_MAX_OPS = 4096,
    OSW_OPS_YAML_MAX_KERNELS = 64, /* of an entry */
    OSW_OPS_YAML_MAX_DEPTH = 16,   /* of values that are passed over */
};

struct osw_yaml_op {
    size_t line;              /* where the entry begins; from 1 */
    bool is_func;             /* else `op`: a name of torch's */
    struct osw_schema schema; /* of an `op` only its name */
    size_t n_kernels;
    const char *const *kernels; /* [n_kernels] "myns::scale_out" */
};

struct osw_ops_yaml {
    size_t n;
    const struct osw_yaml_op *at; /* [n] in the file's order */
};

/* Read text[0..n).  *out lives in the arena.  Returns 0, or -1 with err set and
 * *out untouched:
 *   OSW_BAD_INPUT  "line L: ...": no YAML, another form, an unknown or repeated
 *                  key, an alias, a schema that does not parse, an operator
 *                  that is there already
 *   OSW_NO_MEMORY
 */
int osw_ops_yaml_read(osw_arena_t *arena, const char *text, size_t n,
                      struct osw_ops_yaml *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OPS_YAML_H */

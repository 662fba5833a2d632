/* ops/inputs/shape_expr.h - shapes and dtypes of outputs, as expressions
 *
 *     "shape": "x.shape[:-1] + [w.shape[0]]"     "dtype": "dtype or x.dtype"
 *
 * A shape is a list of integers.  Integers: numbers, `x.shape[i]`, `x.ndim`,
 * int and bool arguments, + - * // %, max, min, len(list), prod(list).  Lists:
 * `x.shape`, int[] arguments, `[a, b]`, `list[from:to]`, list + list,
 * list * n, broadcast(list, ...), reduced(list, dims, keep) (dims None: all),
 * and what sizes come to by convolved(), pooled(), padded(), tiled(),
 * resized(), concatenated(): see shape_value.c. Dtypes: dtype_expr.h.  Words
 * mean what they mean in Python, so the same text is a fake's body.  Pure.
 *
 * Upstream: op.json ("outputs").  Downstream: `opsweep check`, ops/export.
 */
#ifndef OSW_OPS_SHAPE_EXPR_H
#define OSW_OPS_SHAPE_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/inputs/bind.h"
#include "ops/notation/schema.h"

/* Bounds on a text from outside; more is an error. */
enum {
    OSW_SHAPE_EXPR_MAX_BYTES = 1024,
    OSW_OUTPUTS_MAX = 16, /* of an op */
};

/* One output of an op. */
struct osw_output_spec {
    const char *shape, *dtype; /* expressions */
};

struct osw_output_shape {
    enum osw_dtype_id dtype;
    int32_t ndim;
    int64_t shape[OSW_MAX_NDIM];
};

/* What names stand for: the arguments of a schema, in its order. */
struct osw_shape_env {
    const struct osw_schema *schema;
    const struct osw_bound_arg *args; /* [schema->n_args]; NULL: only types */
};

/* Is it well formed for the arguments of that schema?  Returns 0, or -1 with
 * err set to OSW_BAD_INPUT: "column C: expected X, found Y".
 */
int osw_shape_expr_check(const char *text, const struct osw_schema *schema,
                         struct osw_error *err) OSW_MUST_CHECK;
int osw_dtype_expr_check(const char *text, const struct osw_schema *schema,
                         struct osw_error *err) OSW_MUST_CHECK;

/* The output for these arguments.  Returns 0, or -1 with err set and *out
 * untouched: OSW_BAD_INPUT too when an index, a size or a sum is out of range.
 */
int osw_output_spec_eval(const struct osw_output_spec *spec,
                         const struct osw_shape_env *env,
                         struct osw_output_shape *out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Append an expression that was checked as one of Python: `a` is a dict of the
 * arguments by name, functions are those of ops/export/kit/expressions.py.
 */
void osw_shape_expr_python(const char *text, const struct osw_schema *schema,
                           struct osw_text *out);
void osw_dtype_expr_python(const char *text, const struct osw_schema *schema,
                           struct osw_text *out);

#endif /* OSW_OPS_SHAPE_EXPR_H */

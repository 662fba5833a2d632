/* ops/inputs/expr.h - small arithmetic over the arguments of a case
 *
 *     2 * numel(self) * dim(mat2, -1)
 *
 * Numbers, + - * /, parentheses, min(a, b), max(a, b); of an argument:
 * numel(x), dim(x, i), inner(x, i) (elements of the dimensions after i),
 * ndim(x), len(x), prod(x), bytes(x) (elements that share a place once), or the
 * bare name of a number.  Used by op.json (numel, flops,
 * reads) and by fills.  Pure.
 */
#ifndef OSW_OPS_EXPR_H
#define OSW_OPS_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "ops/inputs/bind.h"

enum { OSW_EXPR_MAX_DEPTH = 64 };

/* What names stand for. */
struct osw_expr_env {
    const struct osw_bound_arg *args; /* [n_args] */
    size_t n_args;
    bool syntax_only; /* no arguments yet: every value is 1 */

    /* Of syntax_only.  NULL: every name is known. */
    const struct osw_schema *schema;
    const char *extra; /* a name beside those of the schema, or NULL */
};

/* Evaluate the whole of text[0..n).
 * Returns 0, or -1 with err set to OSW_BAD_INPUT and *out untouched:
 * "column C: expected X, found Y".  *out is finite.
 */
int osw_expr_eval(const char *text, size_t n, const struct osw_expr_env *env,
                  double *out, struct osw_error *err) OSW_MUST_CHECK;

/* Evaluate the longest expression at text[*at..n), then move *at past it and
 * the blanks that follow.
 */
int osw_expr_eval_prefix(const char *text, size_t n, size_t *at,
                         const struct osw_expr_env *env, double *out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Is it well formed, with whatever values the arguments have?  With a schema
 * its names must be arguments of it, or `extra` (NULL: there is none).
 */
int osw_expr_check(const char *text, size_t n, const struct osw_schema *schema,
                   const char *extra, struct osw_error *err) OSW_MUST_CHECK;

/* The same for a size that op.json states by `key`: also OSW_BAD_INPUT when it
 * is below 0; err names the key.
 */
int osw_expr_size(const char *text, const char *key,
                  const struct osw_bound_arg *args, size_t n_args, double *out,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Bytes of the tensors of a value, as bytes(x). */
double osw_expr_bytes(const struct osw_value *v);

#endif /* OSW_OPS_EXPR_H */

/* ops/inputs/dtype_expr.h - the dtype of an output, as an expression
 *
 *     "dtype or x.dtype"     "widened(x.dtype) if wide else x.dtype"
 *
 * `x.dtype`, a dtype's name, an argument that is a dtype, summed(d),
 * widened(d), floating(d), logical(d), promoted(x, y, ...), `a or b` (the first
 * that is given), `a if flag else b`.  Pure.
 *
 * Upstream: ops/inputs/shape_expr.c.
 */
#ifndef OSW_OPS_DTYPE_EXPR_H
#define OSW_OPS_DTYPE_EXPR_H

#include "ops/inputs/shape_scan.h"

/* The expression that stands at p->at.  *out is an enum osw_dtype_id, or 0 when
 * no argument gives one, or only types are known.  0, or -1 with err set.
 */
int osw_dtype_expr_parse(struct osw_shape_parser *p, int *out) OSW_MUST_CHECK;

#endif /* OSW_OPS_DTYPE_EXPR_H */

/* ops/inputs/torch_fills.h - what torch's operators need as inputs, as a table
 *
 * An index out of range ends the process, a probability of -0.3 an operator.
 * A trace has shapes and dtypes only; so what an argument means is told by the
 * operator's name here, and its range by the shapes beside it.
 *
 * Upstream: an op that has no fill of its own for an argument.  Downstream:
 * ops/cases/gen_case.c.  To add an operator, write one row in torch_fills.c.
 */
#ifndef OSW_OPS_TORCH_FILLS_H
#define OSW_OPS_TORCH_FILLS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/inputs/bind.h"
#include "ops/inputs/fill_text.h"

struct osw_torch_fills; /* one row */

/* A call of an operator. */
struct osw_torch_call {
    const struct osw_bound_arg *args; /* [n_args] */
    size_t n_args;
    bool unnamed; /* there is no schema: the row names positional arguments */
    const struct osw_fill_rule *own; /* [n_own] that come before the row's */
    size_t n_own;
};

/* The row of an operator of that canonical name ("aten.scatter_.src"), or NULL:
 * every value will do, or nothing is known.  In-place variants count as the
 * others.
 */
const struct osw_torch_fills *osw_torch_fills_find(const char *name);

/* Fills of all tensors of a call of the row's operator, in order.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  as osw_fill_resolve(); "no valid input is known for
 *                  argument 'x'"
 *   OSW_NO_MEMORY
 */
int osw_torch_fills_resolve(osw_arena_t *arena,
                            const struct osw_torch_fills *row,
                            const struct osw_torch_call *call,
                            const struct osw_fill **out, size_t *n_out,
                            struct osw_error *err) OSW_MUST_CHECK;

/* The row's fill of an argument as a rule of op.json: the first alternative.
 * *text is NULL if there is none that op.json can say.  Returns 0, or -1 with
 * err set: OSW_NO_MEMORY.
 */
int osw_torch_fills_rule(osw_arena_t *arena, const struct osw_torch_fills *row,
                         const char *arg, const char **text,
                         struct osw_error *err) OSW_MUST_CHECK;

/* The i-th row's fills, for the test of the table; NULL after the last. */
const char *osw_torch_fills_at(size_t i, const char **operators,
                               const char **args);

#endif /* OSW_OPS_TORCH_FILLS_H */

/* ops/inputs/fill_text.h - fills as text: parsed, printed, resolved for a case
 *
 * One fill is written "index(dim(weight, 0))"; resolved, its arguments are
 * numbers.  The fills of a case stand in the order of its tensors (depth
 * first over bound arguments), as "normal,index(30522)": this form is part of
 * the cell key and goes over the wire.
 */
#ifndef OSW_OPS_FILL_TEXT_H
#define OSW_OPS_FILL_TEXT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/inputs/bind.h"
#include "ops/inputs/fill.h"
#include "ops/notation/schema.h"
#include "ops/notation/value.h"

/* Bounds on a list from outside. */
enum { OSW_FILL_MAX_LIST = 65536, OSW_FILL_MAX_BYTES = 1 << 20 };

/* What op.json and gen_input.json say: argument name -> fill. */
struct osw_fill_rule {
    const char *arg;
    const char *text;
};

/* Read one fill from text[0..n), expressions evaluated over args [n_args]
 * (NULL and 0: numbers only).
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  "column C: expected X, found Y"; a fill whose arguments
 *                  are out of range (index(-1), int(3, 1))
 */
int osw_fill_parse(const char *text, size_t n, const struct osw_bound_arg *args,
                   size_t n_args, struct osw_fill *out,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Is it well formed, whatever its expressions come to? */
int osw_fill_check(const char *text, const struct osw_schema *schema,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Read a whole list of resolved fills: *out [*n_out] in the arena; "" is the
 * empty list.  For texts from outside.
 */
int osw_fill_list_parse(osw_arena_t *arena, const char *text, size_t n,
                        const struct osw_fill **out, size_t *n_out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Does a resolved fill suit a tensor?  index(0) suits empty ones alone.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT.
 */
int osw_fill_fits(const struct osw_fill *fill,
                  const struct osw_tensor_desc *desc,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Append the canonical form: no spaces, integers without a point. */
void osw_fill_print(struct osw_text *out, const struct osw_fill *fill);
void osw_fill_list_print(struct osw_text *out, const struct osw_fill *fills,
                         size_t n);

/* The same as a copy in the arena; NULL without memory. */
const char *osw_fill_list_text(osw_arena_t *arena, const struct osw_fill *fills,
                               size_t n);

/* The default of a dtype: never OSW_FILL_DEFAULT. */
struct osw_fill osw_fill_of_dtype(enum osw_dtype_id dtype);

/* Fills of all tensors of bound arguments, in order: of each argument the
 * first of `rules` that names it, else the dtype's default.  A rule that names
 * no argument is an error.
 */
int osw_fill_resolve(osw_arena_t *arena, const struct osw_bound_arg *args,
                     size_t n_args, const struct osw_fill_rule *rules,
                     size_t n_rules, const struct osw_fill **out, size_t *n_out,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_FILL_TEXT_H */

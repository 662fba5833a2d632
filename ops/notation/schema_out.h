/* ops/notation/schema_out.h - the functional form of an `.out` schema, and back
 *
 *     ns::scale.out(Tensor x, float a, *, Tensor(a!) out) -> Tensor(a!)
 *     ns::scale(Tensor x, float a) -> Tensor
 *
 * The overload `out` becomes none, `NAME_out` becomes NAME.  Pure.
 *
 * Upstream: ops_yaml.h.  Downstream: `opsweep new`.
 */
#ifndef OSW_OPS_SCHEMA_OUT_H
#define OSW_OPS_SCHEMA_OUT_H

#include "ops/notation/schema.h"

/* How many places for results does it take: written tensors at the end, one for
 * each return, which is that place?  0: it is no `.out` schema.
 */
uint32_t osw_schema_n_outs(const struct osw_schema *schema);

/* Returns 0, or -1 with err set and *out untouched: OSW_BAD_INPUT when it is of
 * the other form already, or a return is no new tensor; OSW_NO_MEMORY.  *out
 * borrows from the schema and the arena.
 */
int osw_schema_functional(osw_arena_t *arena, const struct osw_schema *schema,
                          struct osw_schema *out,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_schema_out(osw_arena_t *arena, const struct osw_schema *schema,
                   struct osw_schema *out,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The overload of torch's own `.out` form of that operator of torch:
 * `add.Tensor` has `out`, `mean.dim` has `out`, most have what osw_schema_out()
 * says.  "": torch has no such form; NULL: no memory.
 */
const char *osw_schema_torch_out(osw_arena_t *arena,
                                 const struct osw_schema *functional);

/* And back: "dim" of `mean.out`; NULL: as osw_schema_functional() says. */
const char *osw_schema_torch_functional(const struct osw_schema *out);

#endif /* OSW_OPS_SCHEMA_OUT_H */

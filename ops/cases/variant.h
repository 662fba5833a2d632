/* ops/cases/variant.h - a case with one of its sizes changed, or whose tensors
 * begin elsewhere
 *
 * For `opsweep check`: the same call with an empty, a single or an odd size,
 * which is where implementations tend to forget a bound; and with tensors that
 * are no longer aligned.
 */
#ifndef OSW_OPS_VARIANT_H
#define OSW_OPS_VARIANT_H

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/value.h"

/* The size a variant should replace: the first dimension of the first tensor
 * that is larger than 1; -1 when there is none.
 */
int64_t osw_variant_size(const struct osw_case *c);

/* The case with every dimension of size `from`, of any tensor, and every such
 * number in a list of integers, set to `to`; tensors it touches become
 * row-major.  Borrows from c, new parts live in the arena.  Returns 0, or -1
 * with err set to OSW_NO_MEMORY.
 */
int osw_variant_make(osw_arena_t *arena, const struct osw_case *c, int64_t from,
                     int64_t to, struct osw_case *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The case with the tensors that have no offset at `offset` elements,
 * likewise.
 */
int osw_variant_shift(osw_arena_t *arena, const struct osw_case *c,
                      int64_t offset, struct osw_case *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_VARIANT_H */

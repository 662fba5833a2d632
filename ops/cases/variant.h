/* ops/cases/variant.h - a case changed where implementations tend to forget
 * something: one of its sizes, or where its tensors begin
 *
 * Variants borrow from the case, new parts live in the arena.
 */
#ifndef OSW_OPS_VARIANT_H
#define OSW_OPS_VARIANT_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/value.h"

/* The size a variant should replace: the first dimension of the first tensor
 * that is larger than 1; -1 when there is none.
 */
int64_t osw_variant_size(const struct osw_case *c);

/* The case with every dimension of size `from`, of any tensor, and every such
 * number in a list of integers, set to `to`; tensors it touches become
 * row-major.  Returns 0, or -1 with err set to OSW_NO_MEMORY.
 */
int osw_variant_resize(osw_arena_t *arena, const struct osw_case *c,
                       int64_t from, int64_t to, struct osw_case *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* The case with its tensors from number `first` on, in order, at `offset`
 * elements where they have none of their own; likewise.
 */
int osw_variant_shift(osw_arena_t *arena, const struct osw_case *c,
                      uint32_t first, int64_t offset, struct osw_case *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* What `opsweep check` makes of a case: an empty, a single and an odd size
 * there; all tensors an element later, and the last one of several alone (code
 * may look at one, and take for granted that all are aligned alike).  The name
 * of variant k, from 0 on; NULL after the last.
 */
const char *osw_variant_name(size_t k);

/* Are its sizes, and so its fills, those of the case? */
bool osw_variant_keeps_sizes(size_t k);

/* 1; 0: the case has no such variant; -1 as above. */
int osw_variant_make(osw_arena_t *arena, const struct osw_case *c, size_t k,
                     struct osw_case *out,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_VARIANT_H */

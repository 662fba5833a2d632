/* ops/inputs/bind.h - the arguments of a case, in the order that code sees them
 *
 * Upstream: a case (ops/notation/notation.h) and, when the op has one, its
 * schema. Downstream: expressions, fills, the call that a sandbox makes.
 */
#ifndef OSW_OPS_BIND_H
#define OSW_OPS_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/schema.h"
#include "ops/notation/value.h"

/* How a case gave an argument; numbers go over the wire. */
enum osw_given {
    OSW_GIVEN_POSITION = 0,
    OSW_GIVEN_KEYWORD = 1,
    OSW_GIVEN_DEFAULT = 2, /* not at all: the schema did */
};

struct osw_bound_arg {
    const char *name; /* of the schema; else arg0, arg1, ... or the keyword */
    const struct osw_value *value; /* never NULL; kind NONE for a None */
    bool written;                  /* the op may write its tensors */
    enum osw_given given;
};

/* One tensor of a case.  Its index in the array is its number everywhere. */
struct osw_bound_tensor {
    const struct osw_tensor_desc *desc;
    uint32_t arg; /* index of the argument that holds it */
    bool written;
};

/* Place the arguments of a case.
 *
 * With a schema: all its arguments in its order, keyword arguments and
 * defaults in their place; a single value for a list of known size (int[2])
 * becomes that list.  Without one (NULL): positional arguments, then keyword
 * arguments as they stand.  In both, the words of torch for a dtype
 * (torch.bool) become dtypes.
 *
 * Returns 0, or -1 with err set and nothing written:
 *   OSW_BAD_INPUT  too many, missing, unknown or twice given: names it
 *   OSW_NO_MEMORY
 * What is written borrows from arena, schema and case.
 */
int osw_bind(osw_arena_t *arena, const struct osw_schema *schema,
             const struct osw_case *c, struct osw_bound_arg **args, size_t *n,
             struct osw_error *err) OSW_MUST_CHECK;

/* All tensors of the arguments in order, depth first, those in lists too.
 * Returns 0, or -1 with err set to OSW_NO_MEMORY and nothing written.
 */
int osw_bind_tensors(osw_arena_t *arena, const struct osw_bound_arg *args,
                     size_t n, struct osw_bound_tensor **tensors,
                     size_t *n_tensors, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BIND_H */

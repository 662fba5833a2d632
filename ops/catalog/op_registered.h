/* ops/catalog/op_registered.h - operators registered with torch, as
 * implementations
 *
 * op.json's "torch" names them: a library that torch.ops.load_library loads, or
 * a module in Python, and the operator that it registers.
 *
 * Upstream: ops/catalog/op_folder.c, after it read op.json.  Downstream:
 * opsweep_registered.py.
 */
#ifndef OSW_OPS_OP_REGISTERED_H
#define OSW_OPS_OP_REGISTERED_H

#include "ops/catalog/op.h"

/* May op.json name that file?  One of the folder itself: a library, or a
 * module, also as the __init__.py of a package in it.
 */
bool osw_op_registered_is_file(const char *file, bool library);

/* Add op->registered to op->impls, by name.  Their symbol is
 * "ns.op.overload@PATH", PATH that of what registers it.  Returns 0, or -1 with
 * err set: OSW_BAD_INPUT when such a file is not there or a name is taken;
 * OSW_NO_MEMORY.
 */
int osw_op_registered_add(osw_arena_t *arena, struct osw_op *op,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Is that implementation one of them? */
bool osw_op_registered_is(const struct osw_op *op, const char *impl);

#endif /* OSW_OPS_OP_REGISTERED_H */

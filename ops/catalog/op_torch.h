/* ops/catalog/op_torch.h - operators of torch as ops without a folder
 *
 * "torch:aten.mm.default" stands where a folder does: the op whose one
 * implementation, "aten", is torch's own.  Where the library knows the op,
 * "torch:aten.mm.default:/path/to/library/mm", all but the implementations is
 * taken from there, the oracle too; else it is torch in float64.  Lines after
 * that, "name<tab>symbol<tab>path", are implementations in place of torch's.
 *
 * Upstream: planning, and a worker that was handed such a name.
 */
#ifndef OSW_OPS_OP_TORCH_H
#define OSW_OPS_OP_TORCH_H

#include "ops/catalog/op.h"

/* Is it such a name? */
bool osw_op_torch_is(const char *dir);

/* The op of that canonical name; `library` is the library's (NULL: it has
 * none).  Returns 0, or -1 with err set and *out untouched: OSW_BAD_INPUT when
 * it is no operator's name, or this program lies without its Python files;
 * OSW_NO_MEMORY.
 */
int osw_op_torch_make(osw_arena_t *arena, const char *name,
                      const struct osw_op *library, struct osw_op *out,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Give the op other implementations [n], which it borrows; 0: none.  Their
 * names and paths hold no tab and no newline.  Returns 0, or -1 with err set
 * to OSW_NO_MEMORY.
 */
int osw_op_torch_cover(osw_arena_t *arena, struct osw_op *op,
                       const struct osw_op_file *impls, size_t n,
                       struct osw_error *err) OSW_MUST_CHECK;

/* As osw_op_load, from such a name. */
int osw_op_torch_load(osw_arena_t *arena, const char *dir, const char *device,
                      struct osw_op *out, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_TORCH_H */

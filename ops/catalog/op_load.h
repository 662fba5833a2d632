/* ops/catalog/op_load.h - an op by what stands for it: a folder, a name of
 * torch's, either with a baseline of torch's
 *
 * Upstream: ops/catalog/catalog.c, and a worker that was handed a name.
 * Downstream: op_folder.h, op_torch.h, op_baseline.h.
 */
#ifndef OSW_OPS_OP_LOAD_H
#define OSW_OPS_OP_LOAD_H

#include "ops/catalog/op.h"

/* Read the op that `dir` names, as it is for a kind of device: see
 * osw_op_folder_load() for folders, op_torch.h and op_baseline.h for names.
 * Blocks on the file system; any thread.  Everything in *out lives in the
 * arena.
 *
 * Returns 0, or -1 with err set and *out untouched: OSW_BAD_INPUT, OSW_SYSTEM,
 * OSW_NO_MEMORY.
 */
int osw_op_load(osw_arena_t *arena, const char *dir, const char *device,
                struct osw_op *out, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_LOAD_H */

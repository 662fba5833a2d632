/* ops/catalog/op_folder.h - the folder of an op, read: op.json and the files
 * beside it
 *
 * Reading a folder never loads or compiles what is in it, and a folder that
 * cannot be an op gives an error message, not a crash.
 *
 * Upstream: op_load.c, op_torch.c.  Downstream: op_json.h, op_registered.h.
 */
#ifndef OSW_OPS_OP_FOLDER_H
#define OSW_OPS_OP_FOLDER_H

#include "ops/catalog/op.h"

/* Returns 0, or -1 with err set to OSW_BAD_INPUT: no such kind of device. */
int osw_op_folder_check_device(const char *device,
                               struct osw_error *err) OSW_MUST_CHECK;

/* Read the op folder `dir`, as it is for a kind of device ("cpu", "cuda"):
 * implementations in other devices' languages are left out, and where a name
 * has several files, the device's own language comes first.  Blocks on the
 * file system; any thread.  Everything in *out lives in the arena.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  not a folder, or op.json is wrong; names file and key
 *   OSW_SYSTEM     the folder cannot be read
 *   OSW_NO_MEMORY
 * A folder without any gen_input.* reads well: see cases_json, cases_py.
 */
int osw_op_folder_load(osw_arena_t *arena, const char *dir, const char *device,
                       struct osw_op *out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_FOLDER_H */

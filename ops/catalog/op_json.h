/* ops/catalog/op_json.h - op.json: what its author knows about an op
 *
 * Upstream: ops/catalog/op_folder.c.  To add a key, write one row in op_json.c.
 */
#ifndef OSW_OPS_OP_JSON_H
#define OSW_OPS_OP_JSON_H

#include "common/arena.h"
#include "common/error.h"
#include "common/json.h"
#include "ops/catalog/op.h"

/* Take every key of the document into *op as it is for `device`, whose files
 * are known already (their words are set, baseline and build are checked
 * against them). Returns 0, or -1 with err set: OSW_BAD_INPUT names file and
 * key; OSW_NO_MEMORY.  Nothing in *op borrows from the document.
 */
int osw_op_json_read(osw_arena_t *arena, const osw_json_t *doc,
                     const char *device, struct osw_op *op,
                     struct osw_op_file *files, size_t n_files,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_JSON_H */

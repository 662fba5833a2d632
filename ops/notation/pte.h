/* ops/notation/pte.h - the operators that an ExecuTorch program (.pte) calls
 *
 * A program is a FlatBuffers file.  The few offsets on the way to its operators
 * are followed here, each checked against the file's end.
 *
 * Upstream: the bytes of a file.  Downstream: ops/scaffold/yaml_ops.h.
 */
#ifndef OSW_OPS_PTE_H
#define OSW_OPS_PTE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/ops_yaml.h"

/* Do these bytes begin as a program does? */
bool osw_pte_is(const void *bytes, size_t n);

/* Read bytes[0..n): each operator of all its plans once, as an `op` entry
 * without kernels.  *out lives in the arena.  Returns 0, or -1 with err set and
 * *out untouched:
 *   OSW_BAD_INPUT  "byte B: ...": cut off, or no program
 *   OSW_NO_MEMORY
 */
int osw_pte_read(osw_arena_t *arena, const void *bytes, size_t n,
                 struct osw_ops_yaml *out,
                 struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_PTE_H */

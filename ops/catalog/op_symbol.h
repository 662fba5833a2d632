/* ops/catalog/op_symbol.h - symbols in sources, as text
 *
 * BackendBench loads every Python file of an op folder that defines
 * <op>_kernel_impl, also one that is not called <op>_<name>.py.
 *
 * Upstream: op_folder.c, with a file whose name says nothing; planning, which
 * runs no code.
 */
#ifndef OSW_OPS_OP_SYMBOL_H
#define OSW_OPS_OP_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"

/* Does the text [n] of a Python file define `symbol` on its top level, by
 * `def`, `class` or an assignment?
 */
bool osw_op_symbol_defined(const char *text, size_t n, const char *symbol);

/* Has the file the word `symbol`, wherever?  True also of one that cannot be
 * read or is larger than 1 MiB.  Blocks on the file system.
 */
bool osw_op_symbol_occurs(const char *path, const char *symbol);

/* The implementation's name, which is that of the file without ".py", if the
 * file at `path` is Python and defines <folder>_kernel_impl.  NULL if not, if
 * it is called reference.py, cannot be read or is larger than 1 MiB, or
 * without memory.  Blocks on the file system.
 */
const char *osw_op_symbol_impl(osw_arena_t *arena, const char *path,
                               const char *folder);

#endif /* OSW_OPS_OP_SYMBOL_H */

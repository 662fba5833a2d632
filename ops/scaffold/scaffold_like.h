/* ops/scaffold/scaffold_like.h - a new op's folder as a copy of another's
 *
 * Upstream: `opsweep new --like`.
 */
#ifndef OSW_OPS_SCAFFOLD_LIKE_H
#define OSW_OPS_SCAFFOLD_LIKE_H

#include "common/arena.h"
#include "common/error.h"

struct osw_scaffold_like {
    const char *like;   /* an op's folder, or the name of a shipped op */
    const char *folder; /* that is made; its last part is the new name */
    const char *name;
    const char *lang; /* suffixes of implementations, such as ".c,.py"; NULL:
                         all */
};

/* Copy the op: its sources under the new name, op.json without what names the
 * old one, cases as they are, and the headers that sources include to the same
 * places beside the new folder.  Prints each file.  0, or -1 with err set:
 * OSW_BAD_INPUT (no such op; a header would replace another one),
 * OSW_SYSTEM.
 */
int osw_scaffold_copy(osw_arena_t *arena, const struct osw_scaffold_like *n,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_SCAFFOLD_LIKE_H */

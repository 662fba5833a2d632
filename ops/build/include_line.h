/* ops/build/include_line.h - the header that a line of a source includes
 *
 * Upstream: copies of an op's sources (campaign/sources.h, export_sources.h).
 */
#ifndef OSW_OPS_INCLUDE_LINE_H
#define OSW_OPS_INCLUDE_LINE_H

#include "common/arena.h"

/* The X of `#include "X"` in a line; NULL: it is another line, or there is no
 * memory.  Pure.
 */
const char *osw_include_line(osw_arena_t *arena, const char *line);

#endif /* OSW_OPS_INCLUDE_LINE_H */

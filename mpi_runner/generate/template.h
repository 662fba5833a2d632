/* mpi_runner/generate/template.h - texts with holes, ours or the user's
 *
 * Upstream: prompt.h.  Files: mpi_runner/generate/templates/.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_TEMPLATE_H
#define OSW_MPI_RUNNER_GENERATE_TEMPLATE_H

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"

enum { OSW_TEMPLATE_MAX = 64 * 1024 }; /* bytes of a file */

/* What stands for {{name}}. */
struct osw_template_hole {
    const char *name, *text;
};

/* The template of that file's name: of the folder `dir` (NULL: none) where it
 * has one, else ours.  In the arena.  NULL with err set: OSW_BAD_INPUT,
 * OSW_NO_MEMORY.
 */
const char *osw_template_get(osw_arena_t *arena, const char *dir,
                             const char *file,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Is every file of the folder one of ours, by name?  0, or -1 with err set
 * (OSW_BAD_INPUT): a name that is mistyped would be ignored.
 */
int osw_template_check(const char *dir, struct osw_error *err) OSW_MUST_CHECK;

/* Append it with its holes [n] filled; texts are not looked into.  -1 with err
 * set (OSW_BAD_INPUT): a hole that is none of these.
 */
int osw_template_fill(const char *text, const struct osw_template_hole *holes,
                      size_t n, struct osw_text *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_TEMPLATE_H */

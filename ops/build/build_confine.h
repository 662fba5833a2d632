/* ops/build/build_confine.h - which files code and compilers may read
 *
 * Upstream: build.h.  Downstream: common/confine.h.
 */
#ifndef OSW_OPS_BUILD_CONFINE_H
#define OSW_OPS_BUILD_CONFINE_H

#include "common/error.h"
#include "common/text.h"

/* The word (OSW_CONFINE_WORD or OSW_CONFINE_OPS_WORD) for a compiler of that
 * source.  Never NULL.
 */
const char *osw_build_confine_word(const char *source);

/* Add the real path of what is there to a list for OPSWEEP_READABLE; never "/".
 */
void osw_build_confine_add(struct osw_text *list, const char *path);

/* Add what opsweep needs to be read: its headers, sandbox and compiled library,
 * and the interpreter (NULL or "": as osw_paths_python() finds it).
 */
void osw_build_confine_add_parts(struct osw_text *list, const char *python);

/* Where OPSWEEP_READABLE is set: add these and the build cache to it, and have
 * no folder of the node for compiled code, if none is named.  For a process
 * that has one thread.  Returns 0, or -1 with err set (OSW_NO_MEMORY).
 */
int osw_build_confine_own(const char *python,
                          struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_CONFINE_H */

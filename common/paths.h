/* common/paths.h - where the installed program finds its own parts
 *
 * Relative to the running executable: in a build tree, or in an install tree
 * (PREFIX/bin, PREFIX/libexec, ...).  OPSWEEP_HOME names either instead.
 * Strings are static; NULL with err set (OSW_BAD_INPUT) when a part is not
 * there.  Threads may call these while others read what they returned, as long
 * as the same is found.
 */
#ifndef OSW_COMMON_PATHS_H
#define OSW_COMMON_PATHS_H

#include <stdbool.h>

#include "common/error.h"

/* The sandbox program. */
const char *osw_paths_sandbox(struct osw_error *err) OSW_MUST_CHECK;
/* The folder that holds opsweep/op.h. */
const char *osw_paths_include_dir(struct osw_error *err) OSW_MUST_CHECK;
/* The shipped op library: a root of op folders. */
const char *osw_paths_library_dir(struct osw_error *err) OSW_MUST_CHECK;
/* The shipped library's objects: see ops/build.h. */
const char *osw_paths_objects_dir(struct osw_error *err) OSW_MUST_CHECK;
/* The batch script. */
const char *osw_paths_batch_script(struct osw_error *err) OSW_MUST_CHECK;
/* Is that a program's path, or without a '/' the name of one in PATH? */
bool osw_paths_is_program(const char *name);
/* The python3 that op code in Python runs in: the one wanted (NULL or "": none
 * is), else $OPSWEEP_PYTHON, else that of the active venv ($VIRTUAL_ENV), else
 * the first in PATH.  A bare name is looked up in PATH.
 */
const char *osw_paths_python(const char *wanted,
                             struct osw_error *err) OSW_MUST_CHECK;
/* The running executable itself. */
const char *osw_paths_self(struct osw_error *err) OSW_MUST_CHECK;
/* Make the folder `path`, and those above it, where they are missing.  0, or -1
 * with err set: OSW_SYSTEM (it names the one that cannot be made),
 * OSW_BAD_INPUT (too long).
 */
int osw_paths_make_folders(const char *path, unsigned mode,
                           struct osw_error *err) OSW_MUST_CHECK;
/* The folder for what goes with the process that makes it: $TMPDIR, else /tmp.
 */
const char *osw_paths_temp_dir(void);
/* Can a folder be made in `dir`?  0, or -1 with err set: OSW_BAD_INPUT, which
 * names TMPDIR where that is the folder.
 */
int osw_paths_check_temp_dir(const char *dir,
                             struct osw_error *err) OSW_MUST_CHECK;
/* Remove the file or folder `path` with all that is in it, as far as that can
 * be; links are not followed.  For what no op code wrote: see worker/scratch.h.
 */
void osw_paths_remove(const char *path);

#endif /* OSW_COMMON_PATHS_H */

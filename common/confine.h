/* common/confine.h - code that may read toolchains and what is listed, nothing
 * else
 *
 * OPSWEEP_READABLE lists paths, separated by ':'.  If it is set, sandboxes of
 * op code, and the compilers of op code, can read only these, folders of the
 * system with programs and libraries, and where they write (Landlock).
 *
 * OPSWEEP_READABLE_OPS lists roots of op folders, in the same way.  Sandboxes
 * read them, too, and compilers of sources that are in them, but not compilers
 * of other sources: generated code cannot include an op's cases and files.
 *
 * Upstream: `opsweep generate` sets it, or a user.  Downstream: builds start a
 * compiler as "opsweep-sandbox --confined CC ...", worker/sandbox/isolate.c.
 */
#ifndef OSW_COMMON_CONFINE_H
#define OSW_COMMON_CONFINE_H

#include <stdbool.h>
#include <stdlib.h>

#define OSW_CONFINE_VARIABLE     "OPSWEEP_READABLE"
#define OSW_CONFINE_OPS_VARIABLE "OPSWEEP_READABLE_OPS"
/* The word after the sandbox program's name, before a command: without and with
 * OPSWEEP_READABLE_OPS.
 */
#define OSW_CONFINE_WORD         "--confined"
#define OSW_CONFINE_OPS_WORD     "--confined-ops"

static inline bool osw_confine_wanted(void)
{
    const char *list = getenv(OSW_CONFINE_VARIABLE);

    return list && *list;
}

#endif /* OSW_COMMON_CONFINE_H */

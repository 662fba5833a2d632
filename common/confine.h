/* common/confine.h - code that may read toolchains and what is listed, nothing
 * else
 *
 * OPSWEEP_READABLE lists paths, separated by ':'.  If it is set, sandboxes of
 * op code, and the compilers of op code, can read only these, folders of the
 * system with programs and libraries, and where they write (Landlock).
 *
 * Upstream: `opsweep generate` sets it, or a user.  Downstream: builds start a
 * compiler as "opsweep-sandbox --confined CC ...", worker/sandbox/isolate.c.
 */
#ifndef OSW_COMMON_CONFINE_H
#define OSW_COMMON_CONFINE_H

#include <stdbool.h>
#include <stdlib.h>

#define OSW_CONFINE_VARIABLE "OPSWEEP_READABLE"
/* The word after the sandbox program's name, before a command. */
#define OSW_CONFINE_WORD     "--confined"

static inline bool osw_confine_wanted(void)
{
    const char *list = getenv(OSW_CONFINE_VARIABLE);

    return list && *list;
}

#endif /* OSW_COMMON_CONFINE_H */

/* ops/build/compiler_limits.h - what a compiler may take of the node
 *
 * A source decides what its compiler does: one that includes /dev/zero would
 * take all memory.  So each process of a compiler has a limit of memory, of
 * processor time, and of the size of a file, and leaves no core.
 *
 * Upstream: build.c starts a compiler as "opsweep-sandbox WORD CC ...";
 * worker/sandbox/main.c sets the limits.
 */
#ifndef OSW_OPS_BUILD_COMPILER_LIMITS_H
#define OSW_OPS_BUILD_COMPILER_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The word after the sandbox program's name, before a command. */
#define OSW_COMPILER_WORD "--compiler"

/* Bytes of memory: 8 GiB, or half of the node's if that is less, but at least 2
 * GiB.
 */
#define OSW_COMPILER_MEMORY_VARIABLE "OPSWEEP_COMPILER_MEMORY"

/* The limit of memory in bytes; node_bytes: what the node has, 0: unknown. */
uint64_t osw_compiler_memory(uint64_t node_bytes);

/* The same of this node, unless the variable says how much.  Returns 0, or -1
 * with err set: OSW_BAD_INPUT when the variable is no size.
 */
int osw_compiler_limits_memory(uint64_t *bytes,
                               struct osw_error *err) OSW_MUST_CHECK;

/* For this process and what it starts; limits that are lower stay. */
void osw_compiler_limits_set(void);

/* Did a compiler that failed reach one of its limits?  By its last signal (0:
 * none) and by what it printed, in output[size]; if so, that becomes the
 * limit's name and how much it is.
 */
bool osw_compiler_limits_say(int signal, char *output, size_t size);

/* Did SIGKILL end a compiler, or a program that it started?  By its last signal
 * (0: none) and by what it printed.
 */
bool osw_compiler_was_killed(int signal, const char *output);

/* A compiler's command for this source, started by the program that limits it,
 * in words[OSW_BUILD_MAX_WORDS + 3]; NULL with err set.
 */
const char *const *osw_compiler_limits_command(const char *const *command,
                                               const char *source,
                                               const char **words,
                                               struct osw_error *err);

#endif /* OSW_OPS_BUILD_COMPILER_LIMITS_H */

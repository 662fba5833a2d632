/* ops/build/build_command.h - what compiles a source: the command, and its key
 *
 * Languages are rows of a table.  The key is the hash of all that decides what
 * comes out and is known before the compiler runs: source, words, compiler,
 * environment, processor, ABI version.  Names of folders are left out: a moved
 * tree keeps its keys.
 *
 * Upstream: build.c.
 */
#ifndef OSW_OPS_BUILD_COMMAND_H
#define OSW_OPS_BUILD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "ops/build/build_deps.h"
#include "ops/build/build_request.h"

/* The words live in `text`; the array ends in NULL. */
struct osw_build_command {
    char text[16384];
    size_t used;
    const char *at[OSW_BUILD_MAX_WORDS + 1];
    size_t n;
    bool full;
    char key[OSW_BUILD_NAME_SIZE]; /* hexadecimal */
};

/* Is it compiled at all?  By the suffix of its name. */
bool osw_build_command_knows(const char *source);

/* Is there a compiler for it on this node?  Starts nothing.  Returns 0, also
 * for a source that is not compiled, or -1 with err set to OSW_SYSTEM: it names
 * the program and where it was looked for.
 */
int osw_build_command_find(const char *source,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Does the environment name the compiler for it (CC, CXX, NVCC)? */
bool osw_build_command_is_named(const char *source);

/* Is it the name of a kind of GPU: "sm_90a", digits and at most one letter? */
bool osw_build_command_is_target(const char *target);

/* Make the command that compiles request->source, but for its outputs, and
 * its key.  Starts nothing.  Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  too many words; a target that is none
 *   OSW_SYSTEM     no compiler; the source cannot be read
 */
int osw_build_command_make(const struct osw_build_request *request,
                           struct osw_build_command *command,
                           struct osw_error *err) OSW_MUST_CHECK;

/* The name of that object in this campaign, in hexadecimal digits: as the key,
 * but of the names of the source and of the include folder in place of their
 * bytes.  Opens neither.  Returns as osw_build_command_make().
 */
int osw_build_command_id(const struct osw_build_request *request,
                         char id[OSW_BUILD_NAME_SIZE],
                         struct osw_error *err) OSW_MUST_CHECK;

/* Add where the object goes, and the rule that lists what was read.  Returns
 * 0, or -1 with err set: OSW_BAD_INPUT when there are too many words.
 */
int osw_build_command_outputs(struct osw_build_command *command,
                              const char *object, const char *rule,
                              struct osw_error *err) OSW_MUST_CHECK;

/* Remove the name of a temporary folder from the compiler's output. */
void osw_build_command_scrub(char *text, const char *tmp);

/* Is it output caused by the machine, not by the source?  Never cached. */
bool osw_build_command_is_passing(const char *output);

#endif /* OSW_OPS_BUILD_COMMAND_H */

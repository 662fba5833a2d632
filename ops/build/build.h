/* ops/build/build.h - sources to shared objects, once: the build cache
 *
 * What is built is named by the hash of everything that went into it: source,
 * the files it includes (those of the system apart), words of the command,
 * compiler, processor, ABI version.  A build leaves a list of the files it
 * read, so that the next one finds its result without starting a compiler.
 * Ranks that want the same object at the same time compile it once; the others
 * wait.
 *
 * A second cache may be given that is only read: `make` fills one with objects
 * of the shipped library.  An object in it is used only if its name is the one
 * that a build would give it now.
 *
 * In the cache: NAME.so, an object; NAME.err, a compiler's output when it
 * refused; KEY.deps, what was read (build_deps.h); KEY.lock, while it is built.
 *
 * Upstream: worker/judge, `opsweep check`.  Downstream: dlopen in a sandbox.
 */
#ifndef OSW_OPS_BUILD_H
#define OSW_OPS_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/build/build_request.h"

/* The object of a source; a .so is its own object.  Blocks; any process.
 * Words of the command are split at blanks, no shell is involved.  CC (default
 * cc) and OPSWEEP_CFLAGS, NVCC (default nvcc: in PATH, $CUDA_HOME/bin,
 * /usr/local/cuda/bin) and OPSWEEP_NVCCFLAGS are read from the environment.
 *
 * A refusal is kept like an object, for processes that were there by then: it
 * may lie in what a key does not hold, such as a library that is not installed
 * yet.  What a deadline, a signal or a full disk ended is not kept.
 *
 * Returns 0, also when the compiler refused (result->failed) or was stopped at
 * the deadline; or -1 with err set and *result undefined:
 *   OSW_BAD_INPUT  no compiler for that suffix; too many words; no target
 *   OSW_SYSTEM     no such source, no compiler, cache cannot be written
 *   OSW_NO_MEMORY
 *   OSW_TIMEOUT    another process held this build beyond the deadline
 */
int osw_build_get(const struct osw_build_request *request,
                  struct osw_build_result *result,
                  struct osw_error *err) OSW_MUST_CHECK;

/* As osw_build_get for n requests, results[i] of requests[i], with at most
 * `jobs` compilers (0 counts as 1) at a time; nvcc takes about 0.7 GB of memory
 * each.  What another process builds is left to it, and waited for last: ranks
 * that want the same objects share the work.  Where osw_build_get would return
 * -1, results[i].failed is set, and its output says why.  Ticks are those of
 * the first request.  Blocks.
 *
 * Returns 0, or -1 with err set and *results undefined: OSW_NO_MEMORY.
 */
int osw_build_get_all(const struct osw_build_request *requests,
                      struct osw_build_result *results, size_t n, uint32_t jobs,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_H */

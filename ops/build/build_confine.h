/* ops/build/build_confine.h - which compilers may read the ops' files
 *
 * Upstream: build.h.  Downstream: common/confine.h.
 */
#ifndef OSW_OPS_BUILD_CONFINE_H
#define OSW_OPS_BUILD_CONFINE_H

/* The word (OSW_CONFINE_WORD or OSW_CONFINE_OPS_WORD) for a compiler of that
 * source.  Never NULL.
 */
const char *osw_build_confine_word(const char *source);

#endif /* OSW_OPS_BUILD_CONFINE_H */

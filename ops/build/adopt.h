/* ops/build/adopt.h - finished files into the build cache
 *
 * A file of the cache is on disk before it has its name, so that no power loss
 * leaves half of one.  A disk that others use, or a file system over a network,
 * takes seconds for that, and now and then a minute: a thread waits for it, and
 * its caller goes on with heartbeats.
 *
 * Upstream: build_cache.h.  Downstream: build.c.
 */
#ifndef OSW_OPS_BUILD_ADOPT_H
#define OSW_OPS_BUILD_ADOPT_H

#include <stdbool.h>

#include "common/error.h"
#include "ops/build/build_request.h"

enum { OSW_ADOPTION_MOST = 2 /* files */ };

/* Files of the cache `dir`, from..to, in that order.  It belongs to itself
 * until it has ended: a caller that ends before leaves it alone.
 */
struct osw_adoption;

/* NULL with err set: OSW_NO_MEMORY. */
struct osw_adoption *osw_adoption_new(const char *dir, struct osw_error *err);

/* OSW_ADOPTION_MOST times at most. */
void osw_adoption_add(struct osw_adoption *a, const char *from, const char *to);

/* Once. */
void osw_adoption_begin(struct osw_adoption *a);

/* 0: not yet; 1: all files are there; -1 with err set (OSW_SYSTEM): some are
 * not. When it has ended, *a is freed and NULL.
 */
int osw_adoption_poll(struct osw_adoption **a,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_ADOPT_H */

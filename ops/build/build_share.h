/* ops/build/build_share.h - objects that another process of the campaign made
 *
 * A build may be told of a folder of this node in which processes share
 * objects (node_store.h), and of callbacks that get them from other nodes.  It
 * looks into the folder first, and opens neither source nor build cache when it
 * finds the object there.  Otherwise the first process of a node asks for it,
 * and the others wait.  One process of the campaign is told to make the object:
 * it uses the build cache and the compiler as ever, and hands the object over.
 * After any failure a build goes on as if there were no such folder.
 *
 * Upstream: build.c.  The callbacks: mpi_runner/ranks/rank_objects.c.
 */
#ifndef OSW_OPS_BUILD_SHARE_H
#define OSW_OPS_BUILD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/deadline.h"
#include "ops/build/build_deps.h"
#include "ops/build/build_request.h"
#include "ops/build/build_wait.h"

enum osw_build_answer {
    OSW_BUILD_WAIT,   /* for an answer, or for the object */
    OSW_BUILD_STORED, /* look into the folder: object or refusal is there */
    OSW_BUILD_MAKE,   /* make it, then offer it */
    OSW_BUILD_ALONE,  /* nothing is shared: build as ever */
};

/* Objects are named by osw_build_command_id().  In the folder: ID.so, an
 * object; ID.err, a refusal; ID.lock, while a process asks for it.
 */
struct osw_build_share {
    const char *dir;
    /* Asks at the first call, then says what came of it; after another answer
     * than WAIT it is over.  Never blocks.
     */
    enum osw_build_answer (*want)(void *arg, const char *id);
    /* It is not waited for any more. */
    void (*give_up)(void *arg, const char *id);
    /* What this process was told to make; NULL: nothing that others may use.
     * Puts it into the folder, too.  Blocks until it is on its way.
     */
    void (*offer)(void *arg, const char *id,
                  const struct osw_build_result *result);
    void *arg;
};

/* Where one build is with it.  All zero: nowhere. */
struct osw_build_sharing {
    char id[OSW_BUILD_NAME_SIZE];
    bool locked, asked, making;
    int lock_fd;                  /* while locked */
    int64_t shown_ns;             /* when its file was touched */
    struct osw_build_wait holder; /* while another process has it */
    struct osw_deadline deadline;
};

/* Begin, and go on from time to time.  Both return 1 with *result set when it
 * was found; 0: call step again, later; -1: build as ever, then call end.
 */
int osw_build_sharing_begin(struct osw_build_sharing *s,
                            const struct osw_build_request *request,
                            struct osw_build_result *result);
int osw_build_sharing_step(struct osw_build_sharing *s,
                           const struct osw_build_request *request,
                           struct osw_build_result *result, int64_t limit_ns);

/* Call it often until the end: other processes of the node wait for this one as
 * long as it does.
 */
void osw_build_sharing_show(struct osw_build_sharing *s);

/* The build is over; `kept`: others may use the result.  Its object is that of
 * the node's folder then, if it is there.  Calling it more often does nothing.
 */
void osw_build_sharing_end(struct osw_build_sharing *s,
                           const struct osw_build_request *request,
                           struct osw_build_result *result, bool kept);

#endif /* OSW_OPS_BUILD_SHARE_H */

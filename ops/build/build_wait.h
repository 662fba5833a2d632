/* ops/build/build_wait.h - is the process that holds a build's lock at work?
 *
 * It touches the lock's file every second.  A process that is stopped does not,
 * on whatever node it is, and is not waited for as long as a compiler may take.
 */
#ifndef OSW_OPS_BUILD_WAIT_H
#define OSW_OPS_BUILD_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/deadline.h"

/* All zero: it has not been looked at. */
struct osw_build_wait {
    int64_t shown_ns; /* what the file's time was last */
    struct osw_deadline silence;
};

/* Has it shown nothing for a twelfth of limit_ns (the deadline of a build) that
 * this process spent waiting?  shown_ns is the file's time, by any clock. Pure.
 */
bool osw_build_wait_is_vain(struct osw_build_wait *wait, int64_t shown_ns,
                            int64_t limit_ns, int64_t now_ns);

/* The time of the lock's file; 0: it is not there. */
int64_t osw_build_wait_shown_ns(const char *dir, const char *name);

/* Touch the file that `fd` holds, at most once a second: *touched_ns is when
 * that was, 0 at first.
 */
void osw_build_wait_show(int fd, int64_t *touched_ns);

#endif /* OSW_OPS_BUILD_WAIT_H */

/* common/deadline.h - deadlines that pass only while this process runs
 *
 * A process may be stopped itself: Slurm suspends its job, its virtual machine
 * moves, it waits for a disk.  Its deadlines are long past then, but the peers
 * it waited for are fine: they were stopped too, or answered meanwhile.  So
 * between two looks at most the usual interval between looks is counted.
 */
#ifndef OSW_COMMON_DEADLINE_H
#define OSW_COMMON_DEADLINE_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

/* Times are of osw_clock_ns(). */
struct osw_deadline {
    int64_t until_ns;
    int64_t looked_ns; /* last */
};

static inline struct osw_deadline osw_deadline_in(int64_t ns, int64_t now_ns)
{
    const int64_t most = INT64_MAX / 4; /* 73 years */

    return (struct osw_deadline){now_ns + (ns < most ? ns : most), now_ns};
}

/* What is left of it, 0 or less once it has passed.  Looks are at most gap_ns
 * apart, if this process runs.
 */
static inline int64_t osw_deadline_left(struct osw_deadline *d, int64_t now_ns,
                                        int64_t gap_ns)
{
    int64_t away_ns = now_ns - d->looked_ns - gap_ns;

    if (away_ns > 0)
        d->until_ns += away_ns;
    d->looked_ns = now_ns;
    return d->until_ns - now_ns;
}

/* Wait until then for something to read, or its end; false: nothing came. */
static inline bool osw_deadline_wait(struct osw_deadline *d, int fd)
{
    enum { TICK_MS = 100 };
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;

    while ((n = poll(&p, 1, TICK_MS)) == 0 || (n < 0 && errno == EINTR))
        if (osw_deadline_left(d, osw_clock_ns(),
                              2 * TICK_MS * INT64_C(1000000)) <= 0)
            return false;
    return n > 0;
}

#endif /* OSW_COMMON_DEADLINE_H */

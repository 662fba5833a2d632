/* worker/judge/timing/token.c - who may time on this node's cores now */
#include "worker/judge/timing/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/process/watch.h"

enum { RETRY_NS = 500000, TICK_EVERY = 200 };

int osw_token_open(struct osw_error *err)
{
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "/dev/shm/opsweep-timing-%u.lock",
             (unsigned)geteuid());
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    return fd;
}

void osw_token_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* `type` of all places from the first one that is given on. */
static struct flock places(short type, off_t first, off_t n)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = n};
}

/* Does a process that is not stopped hold a place from `first` on? */
static bool is_held(int fd, off_t first)
{
    struct flock other = places(F_WRLCK, first, 0);

    while (fcntl(fd, F_GETLK, &other) == 0 && other.l_type != F_UNLCK) {
        if (!osw_watch_is_stopped(other.l_pid))
            return true;
        other = places(F_WRLCK, other.l_start + 1, 0);
    }
    return false;
}

/* The first place; or, if its holder is `looked` at and stopped, the next one:
 * it may be stopped for hours, and uses no core meanwhile.
 */
static bool try_take(int fd, bool looked)
{
    for (off_t at = 0;; at++) {
        struct flock place = places(F_WRLCK, at, 1);

        if (fcntl(fd, F_SETLK, &place) == 0) {
            if (!is_held(fd, at + 1))
                return true;
            osw_token_give(fd);
            return false;
        }
        if (!looked || fcntl(fd, F_GETLK, &place) < 0 ||
            place.l_type == F_UNLCK || !osw_watch_is_stopped(place.l_pid))
            return false;
    }
}

/* Polled, since a blocking wait could not tick. */
int64_t osw_token_take(int fd, void (*tick)(void *arg), void *arg)
{
    int64_t t0 = osw_clock_ns();

    for (int i = 1; !try_take(fd, i % TICK_EVERY == 0); i++) {
        osw_clock_sleep_ns(RETRY_NS);
        if (tick && i % TICK_EVERY == 0)
            tick(arg);
    }
    return osw_clock_ns() - t0;
}

void osw_token_give(int fd)
{
    struct flock all = places(F_UNLCK, 0, 0);

    (void)fcntl(fd, F_SETLK, &all);
}

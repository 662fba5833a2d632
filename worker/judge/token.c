/* worker/judge/token.c - who may time on this node's cores now */
#include "worker/judge/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"

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

/* Polled, since a blocking wait could not tick. */
int64_t osw_token_take(int fd, void (*tick)(void *arg), void *arg)
{
    int64_t t0 = osw_clock_ns();

    for (int i = 1; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        osw_clock_sleep_ns(RETRY_NS);
        if (tick && i % TICK_EVERY == 0)
            tick(arg);
    }
    return osw_clock_ns() - t0;
}

void osw_token_give(int fd)
{
    (void)flock(fd, LOCK_UN);
}

/* results/journal/lock.c - one writer per journal */
#include "results/journal/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

enum { MAX_PATH = 4096, MAX_LINE = 512, LOOK_NS = 100000000 };
enum { IS_EXITING = 0x4 }; /* PF_EXITING of the kernel */

#define ENDING_TICK_NS INT64_C(10000000)
#define ENDING_NS      INT64_C(10000000000)

struct holder {
    char host[256];
    long pid;
    unsigned long long start; /* of the process: field 22 of its stat */
};

struct process {
    unsigned long long start; /* 0: it cannot be seen */
    bool dead;                /* it only waits for its parent to notice */
    bool ending;              /* or it is on the way there */
};

/* As /proc/PID/stat has it. */
static struct process look_at(long pid)
{
    struct process found = {.start = 0};
    char path[64], line[1024], state;
    unsigned long flags;
    char *p;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return found;
    p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    if (p &&
        sscanf(p + 1, " %c %*d %*d %*d %*d %*d %lu", &state, &flags) == 2) {
        found.dead = state == 'Z' || state == 'X';
        found.ending = flags & IS_EXITING;
    }
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (p)
        found.start = strtoull(p + 1, NULL, 10);
    fclose(f);
    return found;
}

static void describe_self(struct holder *h)
{
    if (gethostname(h->host, sizeof(h->host)))
        strcpy(h->host, "?");
    h->host[sizeof(h->host) - 1] = '\0';
    h->pid = (long)getpid();
    h->start = look_at(h->pid).start;
}

/* The line of this process into a file of its own, "<path>.<host>.<pid>", from
 * where it gets its name: what is named `path` is always whole.
 */
static int write_own(const char *path, const char *uuid, char *own, size_t size,
                     struct osw_error *err)
{
    struct holder self;
    char line[MAX_LINE];
    int fd, n;

    describe_self(&self);
    snprintf(own, size, "%s.%s.%ld", path, self.host, self.pid);
    n = snprintf(line, sizeof(line), "%s %ld %llu %s\n", self.host, self.pid,
                 self.start, uuid);
    fd = open(own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot make '%s'", path);
    if (write(fd, line, (size_t)n) == n && fsync(fd) == 0) {
        close(fd);
        return 0;
    }
    osw_fail_sys(err, errno, "cannot write '%s'", path);
    close(fd);
    unlink(own);
    return -1;
}

static bool read_holder(int fd, struct holder *h)
{
    char line[MAX_LINE];
    ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

    if (n <= 0)
        return false;
    line[n] = '\0';
    return sscanf(line, "%255s %ld %llu", h->host, &h->pid, &h->start) == 3;
}

static bool is_elsewhere(const struct holder *h)
{
    struct holder self;

    describe_self(&self);
    return strcmp(h->host, self.host) != 0;
}

/* Gone for certain: this host, and no such process, or a younger one. */
static bool is_gone(const struct holder *h)
{
    struct process found;

    if (is_elsewhere(h) || h->pid <= 0)
        return false;
    found = look_at(h->pid);
    if (found.start)
        return found.dead || (h->start && found.start != h->start);
    return kill((pid_t)h->pid, 0) < 0 && errno == ESRCH;
}

/* SIGKILL was sent to it, and it has not run since. */
static bool is_killed(long pid)
{
    const unsigned long long kill_bit = 1ULL << (SIGKILL - 1);
    char path[64], line[256];
    unsigned long long pending = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%ld/status", pid);
    f = fopen(path, "re");
    while (f && !(pending & kill_bit) && fgets(line, sizeof(line), f))
        if (strncmp(line, "SigPnd:", 7) == 0 ||
            strncmp(line, "ShdPnd:", 7) == 0)
            pending |= strtoull(line + 7, NULL, 16);
    if (f)
        fclose(f);
    return pending & kill_bit;
}

/* One that was killed may take a while to end: its memory is given back first.
 */
static void await_end(const struct holder *h)
{
    for (int64_t ns = 0; ns < ENDING_NS && !is_elsewhere(h) && !is_gone(h) &&
                         (look_at(h->pid).ending || is_killed(h->pid));
         ns += ENDING_TICK_NS)
        osw_clock_sleep_ns(ENDING_TICK_NS);
}

static bool is_self(const struct holder *h)
{
    struct holder self;

    describe_self(&self);
    return strcmp(h->host, self.host) == 0 && h->pid == self.pid &&
           h->start == self.start;
}

static bool read_path(const char *path, struct holder *h)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_holder(fd, h);

    if (fd >= 0)
        close(fd);
    return ok;
}

/* Does the lock stay as it is while we watch?  Its time is the file system's
 * own, so no clocks are compared; and as many looks as that, since we may be
 * stopped for longer, and its holder with us.
 */
static bool stays(const char *path, const struct stat *before, int64_t ns)
{
    struct stat now;

    if (ns <= 0)
        return false;
    for (; ns > 0; ns -= LOOK_NS) {
        osw_clock_sleep_ns(LOOK_NS);
        if (stat(path, &now) || now.st_ino != before->st_ino ||
            now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
            return false;
    }
    return true;
}

int osw_lock_fail_changing(const char *path, struct osw_error *err)
{
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' changes hands; another opsweep uses it", path);
}

/* Another process made the file before us.  flock() keeps two from taking over
 * the same stale lock: the second finds another file of that name.
 */
static int take_over(int fd, const char *path, const char *own,
                     int64_t patience_ns, struct osw_error *err)
{
    struct holder h;
    struct stat there, here;

    if (flock(fd, LOCK_EX))
        return osw_fail_sys(err, errno, "cannot lock '%s'", path);
    if (fstat(fd, &here) || stat(path, &there) || here.st_ino != there.st_ino)
        return osw_lock_fail_changing(path, err);
    if (!read_holder(fd, &h))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' does not say who holds it; remove it if no "
                        "opsweep writes there",
                        path);
    await_end(&h);
    if (!is_gone(&h) && !(is_elsewhere(&h) && stays(path, &here, patience_ns)))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is held by process %ld on host %s; wait for it, "
                        "or remove the file if that process is dead",
                        path, h.pid, h.host);
    if (rename(own, path))
        return osw_fail_sys(err, errno, "cannot take over '%s'", path);
    return 0;
}

/* On a file system that has no links: for a moment the lock is empty.  -1 with
 * errno set.
 */
static int make_without_link(const char *own, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return -1;
    close(fd);
    if (rename(own, path) == 0)
        return 0;
    unlink(path);
    return -1;
}

int osw_lock_take(const char *dir, const char *uuid, int64_t patience_ns,
                  struct osw_error *err)
{
    char path[MAX_PATH], own[MAX_PATH + 300];
    int fd = -1, rc = -1;
    bool there;

    snprintf(path, sizeof(path), "%s/lock", dir);
    if (write_own(path, uuid, own, sizeof(own), err))
        return -1;
    if (link(own, path) == 0) {
        unlink(own);
        return 0;
    }
    if (errno != EEXIST && errno != ENOENT && make_without_link(own, path) == 0)
        return 0;
    there = errno == EEXIST || errno == ENOENT; /* or its folder was removed */
    if (there)
        fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && there && errno == ENOENT)
        osw_lock_fail_changing(path, err);
    else if (fd < 0)
        osw_fail_sys(err, errno, "cannot make '%s'", path);
    else
        rc = take_over(fd, path, own, patience_ns, err);
    if (fd >= 0)
        close(fd);
    if (rc)
        unlink(own);
    return rc;
}

int osw_lock_heartbeat(const char *dir, struct osw_error *err)
{
    char path[MAX_PATH];
    struct holder h;

    snprintf(path, sizeof(path), "%s/lock", dir);
    if (!read_path(path, &h))
        return osw_fail(
            err, OSW_SYSTEM,
            "'%s' is gone: it was removed, or another opsweep took over", path);
    if (!is_self(&h))
        return osw_fail(err, OSW_SYSTEM,
                        "'%s' was taken over by process %ld on host %s: this "
                        "one was away for too long, and writes no more",
                        path, h.pid, h.host);
    if (utimensat(AT_FDCWD, path, NULL, 0))
        return osw_fail_sys(err, errno, "cannot touch '%s'", path);
    return 0;
}

enum osw_lock_holder osw_lock_look(const char *dir, char *who, size_t size)
{
    char path[MAX_PATH];
    struct holder h;

    snprintf(path, sizeof(path), "%s/lock", dir);
    if (!read_path(path, &h))
        return OSW_LOCK_FREE;
    await_end(&h);
    if (is_gone(&h))
        return OSW_LOCK_FREE;
    snprintf(who, size, "process %ld on host %s", h.pid, h.host);
    return is_elsewhere(&h) ? OSW_LOCK_ELSEWHERE : OSW_LOCK_HERE;
}

void osw_lock_release(const char *dir)
{
    char path[MAX_PATH];
    struct holder h;

    snprintf(path, sizeof(path), "%s/lock", dir);
    if (read_path(path, &h) && is_self(&h))
        unlink(path);
}

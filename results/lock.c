/* results/lock.c - one writer per journal */
#include "results/lock.h"

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

enum { MAX_PATH = 4096, MAX_LINE = 512 };

struct holder {
    char host[256];
    long pid;
    unsigned long long start; /* of the process: field 22 of its stat */
};

/* Start time of a process in clock ticks since boot; 0: it is not there. */
static unsigned long long process_start(long pid)
{
    unsigned long long start = 0;
    char path[64], line[1024];
    char *p;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (p)
        start = strtoull(p + 1, NULL, 10);
    fclose(f);
    return start;
}

static void describe_self(struct holder *h)
{
    if (gethostname(h->host, sizeof(h->host)))
        strcpy(h->host, "?");
    h->host[sizeof(h->host) - 1] = '\0';
    h->pid = (long)getpid();
    h->start = process_start(h->pid);
}

static int write_holder(int fd, const char *uuid, struct osw_error *err,
                        const char *path)
{
    struct holder self;
    char line[MAX_LINE];
    int n;

    describe_self(&self);
    n = snprintf(line, sizeof(line), "%s %ld %llu %s\n", self.host, self.pid,
                 self.start, uuid);
    if (ftruncate(fd, 0) || pwrite(fd, line, (size_t)n, 0) != n || fsync(fd))
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    return 0;
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

/* Gone for certain: this host, and no such process, or a younger one. */
static bool is_gone(const struct holder *h)
{
    struct holder self;
    unsigned long long start;

    describe_self(&self);
    if (strcmp(h->host, self.host) != 0 || h->pid <= 0)
        return false;
    start = process_start(h->pid);
    if (start)
        return h->start && start != h->start;
    return kill((pid_t)h->pid, 0) < 0 && errno == ESRCH;
}

/* Somebody made the file before us.  flock() keeps two from taking over the
 * same stale lock: the second reads what the first wrote.
 */
static int take_over(int fd, const char *path, const char *uuid,
                     struct osw_error *err)
{
    struct holder h;
    struct stat there, here;

    if (flock(fd, LOCK_EX))
        return osw_fail_sys(err, errno, "cannot lock '%s'", path);
    if (fstat(fd, &here) || stat(path, &there) || here.st_ino != there.st_ino)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' changes hands; another opsweep uses it", path);
    if (!read_holder(fd, &h))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' does not say who holds it; remove it if no "
                        "opsweep writes there",
                        path);
    if (!is_gone(&h))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is held by process %ld on host %s; wait for it, "
                        "or remove the file if that process is dead",
                        path, h.pid, h.host);
    return write_holder(fd, uuid, err, path);
}

int osw_lock_take(const char *dir, const char *uuid, struct osw_error *err)
{
    char path[MAX_PATH];
    int fd, rc;

    snprintf(path, sizeof(path), "%s/lock", dir);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        rc = write_holder(fd, uuid, err, path);
    } else {
        if (errno != EEXIST)
            return osw_fail_sys(err, errno, "cannot make '%s'", path);
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            return osw_fail_sys(err, errno, "cannot open '%s'", path);
        rc = take_over(fd, path, uuid, err);
    }
    close(fd);
    return rc;
}

void osw_lock_release(const char *dir)
{
    char path[MAX_PATH];

    snprintf(path, sizeof(path), "%s/lock", dir);
    unlink(path);
}

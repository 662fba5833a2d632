/* tests/chaos/bad_disk.c - a disk that does not take what it is given
 *
 * Preloaded into a run, it looks at writes and syncs of files.  While the file
 * that OSW_BAD_DISK names is there, its line
 *
 *     CALL WORD SKIP TIMES ERRNO
 *
 * makes CALL (write, fdatasync, fsync, posix_fallocate) fail with that number
 * on files whose path contains WORD: not the first SKIP such calls of a
 * process, but TIMES after them (0: all).  A sync with a number below 0 takes
 * so many milliseconds more, and does not fail.  Each failure adds a line to
 * "<that file>.struck". A sync that fails loses what came since the last one
 * that did not, as a kernel may: those bytes are zeros from then on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static __thread bool inside; /* calls of our own */

static const char *rule_path(void)
{
    return getenv("OSW_BAD_DISK");
}

/* The function that this one stands before. */
#define REAL(type, name)                                                       \
    static type real;                                                          \
    void *found;                                                               \
    if (!real) {                                                               \
        found = dlsym(RTLD_NEXT, name);                                        \
        memcpy(&real, &found, sizeof(real));                                   \
    }

typedef ssize_t (*pwrite_f)(int, const void *, size_t, off_t);
typedef ssize_t (*write_f)(int, const void *, size_t);
typedef int (*sync_f)(int);
typedef int (*fallocate_f)(int, off_t, off_t);

static void note(const char *call, const char *path)
{
    char name[MAX_PATH];
    FILE *f;

    snprintf(name, sizeof(name), "%s.struck", rule_path());
    f = fopen(name, "ae");
    if (!f)
        return;
    fprintf(f, "%s %s\n", call, path);
    fclose(f);
}

/* What this process has seen of the rule so far. */
static int is_due(const char *call, const char *path)
{
    static int seen;
    static char before[256];
    char line[256] = "", wanted[32], word[128];
    int skip, times, number;
    FILE *f = fopen(rule_path(), "re");

    if (!f)
        return 0;
    if (!fgets(line, sizeof(line), f))
        line[0] = '\0';
    fclose(f);
    if (sscanf(line, "%31s %127s %d %d %d", wanted, word, &skip, &times,
               &number) != 5 ||
        strcmp(call, wanted) != 0 || !strstr(path, word))
        return 0;
    if (strcmp(line, before) != 0)
        seen = 0;
    memcpy(before, line, sizeof(before));
    seen++;
    return seen > skip && (times == 0 || seen <= skip + times) ? number : 0;
}

/* 0, or what the call on fd is to fail with. */
static int fault(const char *call, int fd)
{
    char link[64], path[MAX_PATH];
    int number = 0;
    ssize_t n;

    if (inside || !rule_path() || access(rule_path(), F_OK) != 0)
        return 0;
    inside = true;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n > 0) {
        path[n] = '\0';
        number = is_due(call, path);
    }
    if (number)
        note(call, path);
    inside = false;
    return number;
}

static ssize_t write_at(int fd, const void *data, size_t n, off_t at)
{
    REAL(pwrite_f, "pwrite64")
    return real(fd, data, n, at);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    int number = fault("write", fd);

    if (number == 0)
        return write_at(fd, data, n, at);
    errno = number;
    return -1;
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    return pwrite(fd, data, n, at);
}

ssize_t write(int fd, const void *data, size_t n)
{
    int number = fault("write", fd);
    REAL(write_f, "write")

    if (number == 0)
        return real(fd, data, n);
    errno = number;
    return -1;
}

int posix_fallocate(int fd, off_t from, off_t n)
{
    int number = fault("posix_fallocate", fd);
    REAL(fallocate_f, "posix_fallocate")

    return number ? number : real(fd, from, n);
}

/* The file whose syncs were seen last, and what of it is on disk. */
static struct {
    dev_t dev;
    ino_t ino;
    off_t size;
} synced;

static void lose(int fd)
{
    static const char zeros[4096];
    struct stat st;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        return;
    if (st.st_dev != synced.dev || st.st_ino != synced.ino)
        synced.size = st.st_size; /* nothing is known of it */
    for (off_t at = synced.size; at < st.st_size; at += (off_t)sizeof(zeros)) {
        size_t n = sizeof(zeros);

        if (st.st_size - at < (off_t)n)
            n = (size_t)(st.st_size - at);
        (void)!write_at(fd, zeros, n, at);
    }
}

static int synchronize(const char *call, int fd)
{
    int number = fault(call, fd), rc;
    sync_f real;
    void *found = dlsym(RTLD_NEXT, call);
    struct stat st;

    memcpy(&real, &found, sizeof(real));
    if (number < 0) {
        usleep((useconds_t)-number * 1000);
    } else if (number) {
        lose(fd);
        errno = number;
        return -1;
    }
    rc = real(fd);
    if (rc == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        synced.dev = st.st_dev;
        synced.ino = st.st_ino;
        synced.size = st.st_size;
    }
    return rc;
}

int fdatasync(int fd)
{
    return synchronize("fdatasync", fd);
}

int fsync(int fd)
{
    return synchronize("fsync", fd);
}

/* worker/judge/timing/token.c - which worker may time on this node's cores now
 *
 * The token is a word in a file that workers map: the holder's name, or 0.  A
 * kernel lock is not safe: op code may open the file for reading, and a process
 * that can read a file can lock it.  Op code cannot write the word (Landlock),
 * and the token of a dead or stopped holder counts as free, so no worker waits
 * for ever.
 */
#include "worker/judge/timing/token.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/process/watch.h"

enum { RETRY_NS = 500000, TICK_EVERY = 200 };

typedef _Atomic uint64_t word_t;

/* Processes of another namespace have other numbers: they have another file. */
int osw_token_open(struct osw_error *err)
{
    struct stat numbers = {.st_ino = 0};
    char path[96];
    int fd;

    (void)stat("/proc/self/ns/pid", &numbers);
    snprintf(path, sizeof(path), "/dev/shm/opsweep-timing-%u-%llx",
             (unsigned)geteuid(), (unsigned long long)numbers.st_ino);
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

/* NULL: it cannot be had. */
static word_t *map_word(int fd)
{
    struct stat st;
    void *p;

    if (fstat(fd, &st) < 0 || (st.st_size < (off_t)sizeof(word_t) &&
                               ftruncate(fd, sizeof(word_t)) < 0))
        return NULL;
    p = mmap(NULL, sizeof(word_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* A process by its number and its start: numbers are reused. */
static uint64_t own_name(void)
{
    return (uint64_t)getpid() << 32 | (uint32_t)osw_watch_started(getpid());
}

/* Is the process gone, or, when it is `looked` at, stopped?  A stopped one may
 * be so for hours, and uses no core meanwhile.
 */
static bool is_free(uint64_t name, bool looked)
{
    pid_t pid = (pid_t)(name >> 32);
    int64_t started;

    if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
        return true;
    if (!looked)
        return false;
    started = osw_watch_started(pid);
    return started == 0 ||
           (started > 0 && (uint32_t)started != (uint32_t)name) ||
           osw_watch_is_stopped(pid);
}

static bool try_take(word_t *word, bool looked)
{
    uint64_t seen = atomic_load(word);

    return (seen == 0 || is_free(seen, looked)) &&
           atomic_compare_exchange_strong(word, &seen, own_name());
}

/* Polled, since a blocking wait could not tick. */
int64_t osw_token_take(int fd, void (*tick)(void *arg), void *arg)
{
    int64_t t0 = osw_clock_ns();
    word_t *word = map_word(fd);

    for (int i = 1; word && !try_take(word, i % TICK_EVERY == 0); i++) {
        osw_clock_sleep_ns(RETRY_NS);
        if (tick && i % TICK_EVERY == 0)
            tick(arg);
    }
    if (word)
        (void)munmap(word, sizeof(*word));
    return osw_clock_ns() - t0;
}

/* Not if another worker took it while we were stopped. */
void osw_token_give(int fd)
{
    word_t *word = map_word(fd);
    uint64_t name = own_name();

    if (!word)
        return;
    (void)atomic_compare_exchange_strong(word, &name, 0);
    (void)munmap(word, sizeof(*word));
}

/* worker/judge/process/copies.c - processes that op code forked and left */
#include "worker/judge/process/copies.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "worker/judge/process/watch.h"

struct search {
    pid_t leader;
    struct stat file;
    int n_left;              /* processes that may still be looked at */
    void (*tick)(void *arg); /* before each of them; or NULL */
    void *tick_arg;
};

/* Does a mapping of that thread show the file?  Also one that it cannot write
 * to: it may change that at any time.  Lines are "from-to modes offset
 * major:minor inode name", in hexadecimal but for the inode.  *n: lines; a
 * thread that ended has none.
 */
static bool maps_it(pid_t thread, const struct stat *file, int *n)
{
    char path[64], line[PATH_MAX + 256];
    unsigned major_number, minor_number;
    unsigned long long inode;
    bool found = false;
    FILE *f;

    *n = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)thread);
    f = fopen(path, "re");
    for (; f && !found && fgets(line, sizeof(line), f); ++*n)
        found = sscanf(line, "%*x-%*x %*s %*x %x:%x %llu", &major_number,
                       &minor_number, &inode) == 3 &&
                inode == file->st_ino &&
                makedev(major_number, minor_number) == file->st_dev;
    if (f)
        fclose(f);
    return found;
}

static pid_t find_below(struct search *s, pid_t pid, bool ours);

/* The process itself, or one below it.  All threads have the same memory; the
 * first one may have ended.
 */
static pid_t find_from(struct search *s, pid_t pid)
{
    const struct dirent *e;
    bool found = false;
    char path[64];
    DIR *threads;
    int n = 0;

    if (s->n_left-- <= 0)
        return 0;
    if (s->tick)
        s->tick(s->tick_arg);
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    threads = opendir(path);
    while (threads && n == 0 && (e = readdir(threads)))
        if (atoi(e->d_name) > 0)
            found = maps_it(atoi(e->d_name), &s->file, &n);
    if (threads)
        closedir(threads);
    return found ? pid : find_below(s, pid, false);
}

/* Among the children that one thread has.  Of ours only those of the group. */
static pid_t find_of_thread(struct search *s, pid_t pid, const char *thread,
                            bool ours)
{
    pid_t found = 0;
    char path[64];
    int child;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid,
             thread);
    f = fopen(path, "re");
    while (f && !found && fscanf(f, "%d", &child) == 1)
        if (!ours || (child != s->leader && getpgid(child) == s->leader))
            found = find_from(s, child);
    if (f)
        fclose(f);
    return found;
}

static pid_t find_below(struct search *s, pid_t pid, bool ours)
{
    const struct dirent *e;
    pid_t found = 0;
    char path[64];
    DIR *threads;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    threads = opendir(path);
    while (threads && !found && (e = readdir(threads)))
        if (atoi(e->d_name) > 0)
            found = find_of_thread(s, pid, e->d_name, ours);
    if (threads)
        closedir(threads);
    return found;
}

pid_t osw_copies_find(pid_t leader, int fd, void (*tick)(void *arg), void *arg)
{
    struct search s = {.leader = leader,
                       .n_left = OSW_WATCH_PROCESSES,
                       .tick = tick,
                       .tick_arg = arg};
    pid_t found;

    if (fstat(fd, &s.file) < 0)
        return 0;
    found = find_below(&s, leader, false);
    return found ? found : find_below(&s, getpid(), true);
}

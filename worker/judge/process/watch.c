/* worker/judge/process/watch.c - what the processes of a sandbox use, by the
 * kernel's account
 */
#include "worker/judge/process/watch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/kernel/kernel_file.h"

enum { MOST_REAPED = 4096 /* at a time */ };

uint64_t osw_watch_mapped(pid_t pid)
{
    unsigned long long pages;
    char text[128];

    return osw_kernel_file(pid, "statm", text, sizeof(text)) &&
                   sscanf(text, "%llu", &pages) == 1
               ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
               : 0;
}

struct osw_watch osw_watch_process(pid_t pid)
{
    unsigned long long resident, shared;
    char text[128];

    if (!osw_kernel_file(pid, "statm", text, sizeof(text)) ||
        sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 ||
        resident < shared)
        return (struct osw_watch){0};
    return (struct osw_watch){.bytes = (resident - shared) *
                                       (uint64_t)sysconf(_SC_PAGESIZE),
                              .n_processes = 1};
}

struct stat_line {
    char mode; /* '?': it is gone */
    int group, n_threads;
    long long started; /* ticks since the node is up */
};

/* The name of a program may contain anything. */
static struct stat_line stat_of(pid_t pid)
{
    struct stat_line none = {.mode = '?'}, read = none;
    const char *rest;
    char text[512];

    if (!osw_kernel_file(pid, "stat", text, sizeof(text)))
        return none;
    rest = strrchr(text, ')');
    return rest && sscanf(rest,
                          ") %c %*s %d %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                          "%*s %*s %*s %*s %*s %d %*s %lld",
                          &read.mode, &read.group, &read.n_threads,
                          &read.started) == 4
               ? read
               : none;
}

int osw_watch_core(pid_t pid)
{
    return (int)osw_kernel_stat(pid, OSW_KERNEL_STAT_CORE);
}

static char mode_of(pid_t pid)
{
    return stat_of(pid).mode;
}

static bool is_dead(char mode)
{
    return mode == '?' || mode == 'Z' || mode == 'X';
}

/* A live thread of a process after its first thread has ended; 0: none. */
static pid_t find_thread(pid_t pid)
{
    const struct dirent *e;
    pid_t found = 0;
    char path[64];
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    while (tasks && !found && (e = readdir(tasks)) != NULL)
        if (atoi(e->d_name) > 0 && !is_dead(mode_of(atoi(e->d_name))))
            found = atoi(e->d_name);
    if (tasks)
        closedir(tasks);
    return found;
}

/* The id by which to read a group's process in /proc: its own, or that of a
 * live thread when its first thread has ended.  0: not of the group, or dead.
 */
static pid_t find_in_group(pid_t pid, pid_t group)
{
    struct stat_line line = stat_of(pid);

    if (line.group != (int)group || line.mode == '?')
        return 0;
    if (!is_dead(line.mode))
        return pid;
    return line.n_threads > 1 ? find_thread(pid) : 0;
}

int64_t osw_watch_started(pid_t pid)
{
    struct stat_line line = stat_of(pid);

    if (line.mode == '?')
        return kill(pid, 0) < 0 && errno == ESRCH ? 0 : -1;
    return line.mode == 'Z' || line.mode == 'X' ? 0 : line.started + 1;
}

bool osw_watch_reap(pid_t group)
{
    siginfo_t info;

    for (int i = 0; i < MOST_REAPED; i++) {
        info.si_pid = 0;
        if (waitid(P_PGID, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
            return errno != ECHILD;
        if (info.si_pid == 0 || info.si_pid == group)
            return true;
        (void)waitpid(info.si_pid, NULL, WNOHANG);
    }
    return true;
}

bool osw_watch_on_disk(pid_t pid)
{
    return mode_of(pid) == 'D';
}

bool osw_watch_is_stopped(pid_t pid)
{
    char where[64], mode = mode_of(pid);

    (void)osw_kernel_file(pid, "wchan", where, sizeof(where));
    return mode == 'T' || mode == 't' ||
           strcmp(where, "do_freezer_trap") == 0 ||
           strcmp(where, "__refrigerator") == 0;
}

bool osw_watch_has_work(pid_t pid)
{
    char path[64];
    const struct dirent *e;
    bool found = false;
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    while (tasks && !found && (e = readdir(tasks)) != NULL)
        found = atoi(e->d_name) > 0 && mode_of(atoi(e->d_name)) == 'R';
    if (tasks)
        closedir(tasks);
    return found;
}

struct osw_watch osw_watch_group(pid_t group, struct osw_held *held)
{
    struct osw_watch all = {0};
    DIR *proc = opendir("/proc");
    const struct dirent *e;

    while (proc && all.n_processes <= OSW_WATCH_PROCESSES &&
           (e = readdir(proc)) != NULL) {
        pid_t pid = atoi(e->d_name);
        struct osw_watch one;

        if (pid > 0)
            pid = find_in_group(pid, group);
        if (pid <= 0)
            continue;
        one = osw_watch_process(pid);
        all.bytes += one.bytes;
        all.n_processes++;
        if (held)
            osw_held_add(held, pid);
    }
    if (proc)
        closedir(proc);
    return all;
}

int64_t osw_watch_cpu_ns(pid_t pid)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t osw_watch_waited(pid_t pid)
{
    long long waited;
    char text[128];

    return osw_kernel_file(pid, "schedstat", text, sizeof(text)) &&
                   sscanf(text, "%*u %lld", &waited) == 1
               ? waited
               : 0;
}

void osw_watch_waits(pid_t pid, struct osw_watch_waits *out)
{
    const struct dirent *e;
    char path[64];
    DIR *tasks;

    out->n = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    while (tasks && out->n < OSW_WATCH_THREADS &&
           (e = readdir(tasks)) != NULL) {
        pid_t thread = atoi(e->d_name);

        if (thread <= 0)
            continue;
        out->of[out->n].thread = thread;
        out->of[out->n].ns = osw_watch_waited(thread);
        out->n++;
    }
    if (tasks)
        closedir(tasks);
}

int64_t osw_watch_longest_wait(const struct osw_watch_waits *then,
                               const struct osw_watch_waits *now)
{
    int64_t longest = 0;

    for (uint32_t i = 0; i < now->n; i++) {
        int64_t ns = now->of[i].ns;

        for (uint32_t k = 0; k < then->n; k++)
            if (then->of[k].thread == now->of[i].thread)
                ns -= then->of[k].ns;
        longest = ns > longest ? ns : longest;
    }
    return longest;
}

uint16_t osw_watch_tasks(void)
{
    struct sysinfo info;

    return sysinfo(&info) == 0 ? info.procs : 0;
}

int osw_watch_threads(pid_t pid)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return (int)osw_kernel_number(path, "Threads:", 0);
}

bool osw_watch_oom(void)
{
    static unsigned long long seen;
    unsigned long long n = osw_kernel_number("/proc/vmstat", "oom_kill ", seen);
    bool more = n > seen;

    seen = n;
    return more;
}

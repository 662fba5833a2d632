/* common/death.c - how a process ended, seen by one that is not its parent */
#include "common/death.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/kernel/control_group.h"
#include "common/kernel/kernel_file.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAGIC = 0x4844534f }; /* "OSDH" */

/* --- what was seen --- */

static uint32_t check_of(const struct osw_death *d)
{
    const uint32_t words[] = {
        d->magic, (uint32_t)d->signal, (uint32_t)d->status,
        d->n_oom, d->n_over,           d->n_crashed};
    uint32_t sum = 2166136261U; /* FNV-1a, by words */

    for (size_t i = 0; i < N_ELEM(words); i++)
        sum = (sum ^ words[i]) * 16777619U;
    return sum;
}

void osw_death_seal(struct osw_death *death)
{
    death->magic = MAGIC;
    death->check = check_of(death);
}

bool osw_death_is_known(const struct osw_death *death)
{
    return death->magic == MAGIC && death->check == check_of(death);
}

bool osw_death_is_external(const struct osw_death *death)
{
    return osw_death_is_known(death) &&
           (death->signal == SIGKILL || death->signal == SIGTERM) &&
           death->n_oom == 0 && death->n_over == 0 && death->n_crashed == 0;
}

/* --- a process --- */

/* Of linux/pidfd.h since 6.15, which few systems have yet. */
struct pidfd_info {
    uint64_t mask, cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
#define PIDFD_INFO_EXIT (UINT64_C(1) << 3)
#define PIDFD_GET_INFO  _IOWR(0xFF, 11, struct pidfd_info)

struct osw_death_watch osw_death_watch_open(pid_t pid)
{
    return (struct osw_death_watch){pid, (int)syscall(SYS_pidfd_open, pid, 0)};
}

void osw_death_watch_close(struct osw_death_watch *watch)
{
    if (watch->fd >= 0)
        close(watch->fd);
    watch->fd = -1;
}

/* The state is the third field, the code the 52nd; the second is a name in
 * parentheses that may contain anything.  A stopped process has a code, too.
 */
bool osw_death_parse_stat(const char *line, int *code)
{
    enum { STATE = 3, CODE = 52 };
    const char *at = strrchr(line, ')');
    long found;
    char state;

    if (!at || at[1] != ' ')
        return false;
    state = at[2];
    for (int i = STATE; at && i <= CODE; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    found = strtol(at + 1, NULL, 10);
    if (state != 'Z' && state != 'X' &&
        (found <= 0 || state == 'T' || state == 't'))
        return false;
    *code = (int)found;
    return true;
}

bool osw_death_watch_ended(const struct osw_death_watch *watch, int *code)
{
    struct pidfd_info info = {.mask = PIDFD_INFO_EXIT};
    char line[1024];

    if (osw_kernel_file(watch->pid, "stat", line, sizeof(line)) &&
        osw_death_parse_stat(line, code))
        return true;
    if (watch->fd < 0 || ioctl(watch->fd, PIDFD_GET_INFO, &info) < 0 ||
        !(info.mask & PIDFD_INFO_EXIT))
        return false;
    *code = info.exit_code;
    return true;
}

uint64_t osw_death_resident(pid_t pid)
{
    unsigned long long resident, shared;
    char text[128];

    return osw_kernel_file(pid, "statm", text, sizeof(text)) &&
                   sscanf(text, "%*u %llu %llu", &resident, &shared) == 2 &&
                   resident > shared
               ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE)
               : 0;
}

/* --- memory --- */

/* Where both generations of control groups count. */
static const struct {
    const char *controller, *mount, *file;
} groups[] = {
    {"memory", "/sys/fs/cgroup/memory", "memory.oom_control"},
    {"", "/sys/fs/cgroup", "memory.events"},
    {"", "/sys/fs/cgroup/unified", "memory.events"},
};

/* The file of the own group in row i of the table; false: there is none. */
static bool name_counter(size_t i, char *path, size_t size)
{
    char group[PATH_MAX];

    return osw_control_group("", groups[i].controller, group, sizeof(group)) &&
           snprintf(path, size, "%s%s/%s", groups[i].mount, group,
                    groups[i].file) < (int)size;
}

uint64_t osw_death_n_oom(void)
{
    char path[2 * PATH_MAX];

    for (size_t i = 0; i < N_ELEM(groups); i++) {
        unsigned long long n = ULLONG_MAX;

        if (name_counter(i, path, sizeof(path)))
            n = osw_kernel_number(path, "oom_kill ", n);
        if (n != ULLONG_MAX)
            return n;
    }
    return osw_kernel_number("/proc/vmstat", "oom_kill ", 0);
}

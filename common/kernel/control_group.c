/* common/kernel/control_group.c - the control groups that this process is in */
#include "common/kernel/control_group.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/kernel/kernel_file.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Is a word one of a list with commas? */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");

        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length;
        if (*at == '\0')
            return false;
    }
}

/* "4:memory:/job_7" and "0::/job_7": the path if the line is the controller's.
 */
static char *path_of(char *line, const char *controller)
{
    char *list = strchr(line, ':');
    char *path = list ? strchr(list + 1, ':') : NULL;

    if (!path)
        return NULL;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    return has_word(list + 1, controller) ? path : NULL;
}

bool osw_control_group(const char *root, const char *controller, char *path,
                       size_t size)
{
    char name[PATH_MAX], line[PATH_MAX];
    bool found = false;
    FILE *f;

    if (snprintf(name, sizeof(name), "%s/proc/self/cgroup", root) >=
        (int)sizeof(name))
        return false;
    f = fopen(name, "re");
    while (f && !found && fgets(line, sizeof(line), f)) {
        const char *at = path_of(line, controller);

        if (!at)
            continue;
        found = snprintf(path, size, "%s", at) < (int)size;
        if (found && strcmp(path, "/") == 0)
            *path = '\0';
    }
    if (f)
        fclose(f);
    return found;
}

/* --- memory --- */

/* Where each generation keeps its limits, and how it names what counts. */
static const struct layout {
    const char *controller, *mount;
    const char *limit, *used;
    const char *cached[3]; /* of memory.stat: what the kernel can drop */
} layouts[] = {
    {"memory",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file ", "total_active_file "}},
    {"",
     "/sys/fs/cgroup",
     "memory.max",
     "memory.current",
     {"inactive_file ", "active_file ", "slab_reclaimable "}},
    {"",
     "/sys/fs/cgroup/unified",
     "memory.max",
     "memory.current",
     {"inactive_file ", "active_file ", "slab_reclaimable "}},
};

/* Without a limit the first generation has one of 2^63 - 4096, the second the
 * word "max".
 */
static const uint64_t no_limit = UINT64_MAX >> 2;

static uint64_t number(const char *folder, const char *file, const char *word,
                       uint64_t otherwise)
{
    char path[PATH_MAX + 32];

    if (snprintf(path, sizeof(path), "%s/%s", folder, file) >=
        (int)sizeof(path))
        return otherwise;
    return osw_kernel_number(path, word, otherwise);
}

/* Left in the group with this folder; UINT64_MAX: it has no limit. */
static uint64_t left_in(const char *folder, const struct layout *l)
{
    uint64_t limit = number(folder, l->limit, "", 0);
    uint64_t used = number(folder, l->used, "", 0), cached = 0;

    if (limit == 0 || limit >= no_limit)
        return UINT64_MAX;
    for (size_t i = 0; i < N_ELEM(l->cached) && l->cached[i]; i++)
        cached += number(folder, "memory.stat", l->cached[i], 0);
    used = used > cached ? used - cached : 0;
    return limit > used ? limit - used : 1;
}

/* The least of the own group and those around it.  In a container the path may
 * be that of the host, and the mount the container's own group.
 */
static uint64_t left_in_groups(const char *root, const struct layout *l)
{
    char group[PATH_MAX / 2], folder[PATH_MAX];
    uint64_t least = UINT64_MAX;

    if (!osw_control_group(root, l->controller, group, sizeof(group)))
        return least;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        uint64_t left = UINT64_MAX;

        *end = '\0';
        if (!strstr(group, "/..") &&
            snprintf(folder, sizeof(folder), "%s%s%s", root, l->mount, group) <
                (int)sizeof(folder))
            left = left_in(folder, l);
        least = left < least ? left : least;
    }
    return least;
}

struct osw_memory_left osw_memory_left(const char *root)
{
    struct osw_memory_left left = {.group = UINT64_MAX};
    uint64_t kib = number(root, "proc/meminfo", "MemAvailable:", UINT64_MAX);

    left.node = kib > UINT64_MAX / 1024 ? UINT64_MAX : kib ? kib * 1024 : 1;
    for (size_t i = 0; i < N_ELEM(layouts); i++) {
        uint64_t group = left_in_groups(root, &layouts[i]);

        left.group = group < left.group ? group : left.group;
    }
    return left;
}

uint64_t osw_memory_left_bytes(void)
{
    struct osw_memory_left left = osw_memory_left("");

    return left.group < left.node ? left.group : left.node;
}

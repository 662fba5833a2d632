/* ops/build/node_store.c - a folder of this node for the objects of one
 * campaign */
#include "ops/build/node_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "ops/build/build_cache.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum {
    OPEN_TRIES = 100, /* another process may be removing the folder */
    OPEN_NAP_NS = 1000000,
    LEAST_BYTES = 16 << 20, /* free, where it is made */
};
static const char prefix[] = "opsweep-objects-";

/* --- where --- */

bool osw_node_store_is_off(const char *wish)
{
    return wish && strcmp(wish, "off") == 0;
}

int osw_node_store_check(const char *wish, struct osw_error *err)
{
    if (!wish || !*wish || *wish == '/' || osw_node_store_is_off(wish))
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "OPSWEEP_NODE_CACHE '%.40s': expected off or an absolute "
                    "path",
                    wish);
}

/* Folders to try, in order; returns how many. */
static size_t candidates(const char *wish, const char *list[3])
{
    const char *tmp = getenv("TMPDIR");
    size_t n = 0;

    if (wish && *wish) {
        list[n++] = wish;
        return n;
    }
    if (tmp && *tmp == '/')
        list[n++] = tmp;
    list[n++] = "/dev/shm";
    list[n++] = "/tmp";
    return n;
}

/* Kinds of file systems that no other node sees, as in statfs(2). */
static const uint32_t local_kinds[] = {
    0x01021994, /* tmpfs */
    0x858458f6, /* ramfs */
    0x0000ef53, /* ext2 to ext4 */
    0x58465342, /* xfs */
    0x9123683e, /* btrfs */
    0x794c7630, /* overlayfs, of containers */
    0x2fc12fc1, /* zfs */
    0xf2f52010, /* f2fs */
};

static bool is_local(const char *path, uint32_t *kind)
{
    struct statfs fs;

    if (statfs(path, &fs) < 0)
        return false;
    *kind = (uint32_t)fs.f_type;
    for (size_t i = 0; i < N_ELEM(local_kinds); i++)
        if (local_kinds[i] == *kind)
            return true;
    return false;
}

static int check_place(const char *path, struct osw_error *err)
{
    struct statvfs fs;
    uint32_t kind = 0;

    if (statvfs(path, &fs) < 0)
        return osw_fail_sys(err, errno, "'%s'", path);
    if (!is_local(path, &kind))
        return osw_fail(err, OSW_SYSTEM,
                        "'%s' is on a file system of kind %#x, expected one of "
                        "this node",
                        path, kind);
    if (fs.f_flag & ST_NOEXEC)
        return osw_fail(err, OSW_SYSTEM, "'%s' is mounted noexec", path);
    if ((uint64_t)fs.f_bavail * fs.f_frsize < LEAST_BYTES)
        return osw_fail(err, OSW_SYSTEM, "'%s' has %llu MiB free, expected %d",
                        path,
                        (unsigned long long)fs.f_bavail * fs.f_frsize >> 20,
                        LEAST_BYTES >> 20);
    return 0;
}

/* --- the folder --- */

/* Still the folder that the path names? */
static bool has_name(int fd, const char *path)
{
    struct stat own, named;

    return fstat(fd, &own) == 0 && lstat(path, &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Make it or find it, and hold it.  1 done; 0: another process is removing it;
 * -1 failed with err set.
 */
static int try_open(struct osw_node_store *store, struct osw_error *err)
{
    const char *dir = store->dir;
    struct stat st;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return osw_fail_sys(err, errno, "cannot make '%s'", dir);
    store->fd = open_folder(dir);
    if (store->fd < 0)
        return errno == ENOENT
                   ? 0
                   : osw_fail_sys(err, errno, "cannot open '%s'", dir);
    if (fstat(store->fd, &st) < 0 || st.st_uid != geteuid() ||
        (st.st_mode & 077)) {
        close(store->fd);
        return osw_fail(err, OSW_SYSTEM,
                        "'%s': expected a folder that only we can read", dir);
    }
    if (flock(store->fd, LOCK_SH | LOCK_NB) == 0 && has_name(store->fd, dir))
        return 1;
    close(store->fd);
    return 0;
}

static int open_in(struct osw_node_store *store, const char *place,
                   const char *campaign, struct osw_error *err)
{
    int n = snprintf(store->dir, sizeof(store->dir), "%s/%s%s", place, prefix,
                     campaign);
    int rc = 0;

    if (n < 0 || (size_t)n >= sizeof(store->dir))
        return osw_fail(err, OSW_SYSTEM, "'%.60s...': too long a path", place);
    if (check_place(place, err) < 0)
        return -1;
    for (int i = 0; i < OPEN_TRIES && rc == 0; i++) {
        rc = try_open(store, err);
        if (rc == 0)
            osw_clock_sleep_ns(OPEN_NAP_NS);
    }
    return rc == 1
               ? 0
               : osw_fail(err, OSW_SYSTEM, "'%s' does not stay", store->dir);
}

int osw_node_store_open(struct osw_node_store *store, const char *wish,
                        const char *campaign, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *places[3];
    size_t n = candidates(wish, places);

    for (size_t i = 0; i < n; i++) {
        why = (struct osw_error)OSW_ERROR_INIT;
        if (open_in(store, places[i], campaign, &why) == 0)
            return 0;
    }
    store->dir[0] = '\0';
    return osw_fail(err, OSW_SYSTEM, "%s", why.text);
}

/* Remove the folder unless a process holds it. */
static void remove_unheld(const char *dir)
{
    int fd = open_folder(dir);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && has_name(fd, dir))
        osw_build_cache_tmp_remove(dir);
    close(fd);
}

/* First every process lets go, then it looks whether it was the last. */
void osw_node_store_close(struct osw_node_store *store)
{
    if (!store->dir[0])
        return;
    close(store->fd);
    remove_unheld(store->dir);
    store->dir[0] = '\0';
}

static void sweep(const char *place)
{
    char path[OSW_NODE_STORE_MAX_DIR];
    const struct dirent *e;
    uint32_t kind;
    DIR *dir = is_local(place, &kind) ? opendir(place) : NULL;

    while (dir && (e = readdir(dir)) != NULL)
        if (strncmp(e->d_name, prefix, sizeof(prefix) - 1) == 0 &&
            snprintf(path, sizeof(path), "%s/%s", place, e->d_name) <
                (int)sizeof(path))
            remove_unheld(path);
    if (dir)
        closedir(dir);
}

void osw_node_store_sweep(const char *wish)
{
    const char *places[3];
    size_t n = candidates(osw_node_store_is_off(wish) ? NULL : wish, places);

    for (size_t i = 0; i < n; i++)
        sweep(places[i]);
}

/* --- files --- */

bool osw_node_store_fits(uint64_t used, uint64_t free, uint64_t n)
{
    return used <= OSW_NODE_STORE_MAX_BYTES &&
           n <= OSW_NODE_STORE_MAX_BYTES - used && used + 2 * n <= free;
}

static uint64_t bytes_in(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *e;
    uint64_t sum = 0;
    struct stat st;

    while (dir && (e = readdir(dir)) != NULL)
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            sum += (uint64_t)st.st_size;
    if (dir)
        closedir(dir);
    return sum;
}

static int take_room(const struct osw_node_store *store, size_t n,
                     struct osw_error *err)
{
    uint64_t used = bytes_in(store->dir), free;
    struct statvfs fs;

    if (fstatvfs(store->fd, &fs) < 0)
        return osw_fail_sys(err, errno, "'%s'", store->dir);
    free = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (osw_node_store_fits(used, free, n))
        return 0;
    return osw_fail(err, OSW_SYSTEM,
                    "'%s' has no room for %zu bytes: it holds %llu of at most "
                    "%llu, and %llu are free",
                    store->dir, n, (unsigned long long)used,
                    (unsigned long long)OSW_NODE_STORE_MAX_BYTES,
                    (unsigned long long)free);
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, bytes, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        bytes += k;
        n -= (size_t)k;
    }
    return true;
}

int osw_node_store_put(const struct osw_node_store *store, const char *name,
                       const char *suffix, const void *bytes, size_t n,
                       struct osw_error *err)
{
    char aside[OSW_NODE_STORE_MAX_DIR + 16], path[OSW_BUILD_MAX_PATH];
    bool good;
    int fd;

    if (take_room(store, n, err) < 0)
        return -1;
    snprintf(aside, sizeof(aside), "%s/new.XXXXXX", store->dir);
    fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot write in '%s'", store->dir);
    osw_build_cache_path(store->dir, name, suffix, path);
    good = write_all(fd, bytes, n);
    good = close(fd) == 0 && good && rename(aside, path) == 0;
    if (good)
        return 0;
    osw_fail_sys(err, errno, "cannot write '%s'", path);
    unlink(aside);
    return -1;
}

/* worker/scratch.c - folders that go with what was written in them */
#include "worker/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/paths.h"
#include "common/reaper.h"

enum {
    MAX_DEPTH = 128,
    MAX_PASSES = 1 << 16,
    MAX_TMP = 32, /* of TMPDIR; a longer one is not used */
    OLD_S = 60,   /* younger ones may not be locked yet */
};
static const char prefix[] = "opsweep-work-";

/* A folder that goes, and how many from deep inside it now lie in it itself. */
struct removal {
    int top;
    unsigned n_lifted;
};

/* A name may be in use: others are tried, a few times. */
static void lift(struct removal *r, int parent, const char *name)
{
    char above[32];

    for (int i = 0; i < 16; i++) {
        snprintf(above, sizeof(above), "lifted-%u", r->n_lifted++);
        if (renameat(parent, name, r->top, above) == 0)
            return;
    }
}

static void remove_at(struct removal *r, int parent, const char *name,
                      int depth);

static void empty(struct removal *r, DIR *dir, int depth)
{
    const struct dirent *e;

    while ((e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_at(r, dirfd(dir), e->d_name, depth);
}

/* A folder to read and change, whatever its mode; NULL: there is none. */
static DIR *open_folder(int parent, const char *name)
{
    struct stat st;
    DIR *dir;
    int fd;

    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISDIR(st.st_mode))
        return NULL;
    (void)!fchmodat(parent, name, 0700, 0);
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

static void remove_at(struct removal *r, int parent, const char *name,
                      int depth)
{
    DIR *dir;

    if (unlinkat(parent, name, 0) == 0)
        return;
    dir = open_folder(parent, name);
    if (!dir)
        return;
    if (depth < MAX_DEPTH)
        empty(r, dir, depth + 1);
    closedir(dir);
    if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && depth == MAX_DEPTH)
        lift(r, parent, name);
}

/* Each pass takes MAX_DEPTH levels off a folder that is deeper. */
static void remove_whole(int parent, const char *name)
{
    DIR *dir = open_folder(parent, name);
    struct removal r = {.top = dir ? dirfd(dir) : -1};
    unsigned before;

    if (!dir)
        return;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        before = r.n_lifted;
        rewinddir(dir);
        empty(&r, dir, 0);
        if (r.n_lifted == before)
            break;
    }
    closedir(dir);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void osw_scratch_remove(const char *path)
{
    if (rmdir(path) < 0 && errno != ENOENT)
        remove_whole(AT_FDCWD, path);
}

/* Its descriptor, locked; -1: another process has locked it, or it is not ours,
 * or younger than min_age_s.  A worker does not check its own folder's age: a
 * file system's clock may be some milliseconds ahead of time().
 */
static int lock(int parent, const char *name, int min_age_s)
{
    int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool ours;

    if (fd < 0)
        return -1;
    ours = fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           (min_age_s == 0 || time(NULL) - st.st_mtime >= min_age_s) &&
           flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!ours)
        close(fd);
    return ours ? fd : -1;
}

static void remove_left(const char *tmp)
{
    DIR *dir = opendir(tmp);
    const struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL) {
        int fd;

        if (strncmp(e->d_name, prefix, sizeof(prefix) - 1) != 0)
            continue;
        fd = lock(dirfd(dir), e->d_name, OLD_S);
        if (fd < 0)
            continue;
        remove_whole(dirfd(dir), e->d_name);
        close(fd);
    }
    if (dir)
        closedir(dir);
}

const char *osw_scratch_place(void)
{
    const char *tmp = osw_paths_temp_dir();

    return strlen(tmp) > MAX_TMP ? "/tmp" : tmp;
}

int osw_scratch_open(char *path, size_t size, struct osw_error *err)
{
    const char *tmp = osw_scratch_place();
    int fd;

    remove_left(tmp);
    snprintf(path, size, "%s/%sXXXXXX", tmp, prefix);
    if (!mkdtemp(path)) {
        path[0] = '\0';
        return osw_fail_sys(err, errno, "cannot make a folder in '%s' (TMPDIR)",
                            tmp);
    }
    fd = lock(AT_FDCWD, path, 0);
    if (fd >= 0) {
        osw_reaper_add_folder(path);
        return fd;
    }
    osw_fail_sys(err, errno, "cannot lock '%s'", path);
    (void)rmdir(path);
    return -1;
}

void osw_scratch_close(int fd, const char *path)
{
    if (fd < 0)
        return;
    osw_scratch_remove(path);
    osw_reaper_remove_folder(path);
    close(fd);
}

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

#include "common/reaper.h"

enum {
    MAX_DEPTH = 128,
    MAX_TMP = 32, /* of TMPDIR; a longer one is not used */
    OLD_S = 60,   /* younger ones may not be locked yet */
};
static const char prefix[] = "opsweep-work-";

static void remove_at(int parent, const char *name, int depth)
{
    const struct dirent *e;
    struct stat st;
    DIR *dir;
    int fd;

    if (unlinkat(parent, name, 0) == 0 ||
        fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISDIR(st.st_mode))
        return;
    (void)!fchmodat(parent, name, 0700, 0);
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (depth < MAX_DEPTH && (e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_at(fd, e->d_name, depth + 1);
    closedir(dir);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void osw_scratch_remove(const char *path)
{
    if (rmdir(path) < 0 && errno != ENOENT)
        remove_at(AT_FDCWD, path, 0);
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
        remove_at(dirfd(dir), e->d_name, 0);
        close(fd);
    }
    if (dir)
        closedir(dir);
}

int osw_scratch_open(char *path, size_t size, struct osw_error *err)
{
    const char *tmp = getenv("TMPDIR");
    int fd;

    if (!tmp || !tmp[0] || strlen(tmp) > MAX_TMP)
        tmp = "/tmp";
    remove_left(tmp);
    snprintf(path, size, "%s/%sXXXXXX", tmp, prefix);
    if (!mkdtemp(path)) {
        path[0] = '\0';
        return osw_fail_sys(err, errno, "cannot make a folder in '%s'", tmp);
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

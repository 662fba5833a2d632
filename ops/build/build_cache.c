/* ops/build/build_cache.c - the folder of the build cache, and how it is shared
 */
#include "ops/build/build_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/paths.h"

/* --- the cache's folder --- */

static int make_folders(const char *path, struct osw_error *err)
{
    struct stat st;

    if (osw_paths_make_folders(path, 0700, err) < 0)
        return osw_error_in(err, "build cache '%s'", path);
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return osw_fail(err, OSW_SYSTEM, "build cache '%s' is no folder", path);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return osw_fail(err, OSW_BAD_INPUT,
                        "build cache '%s': expected a folder that only we can "
                        "write, found mode %04o of user %u",
                        path, (unsigned)st.st_mode & 07777,
                        (unsigned)st.st_uid);
    return 0;
}

/* Sandboxes load what is in it, and work in folders of their own. */
static int name_own(const char *own, char *path, size_t size)
{
    char here[OSW_BUILD_MAX_PATH];

    if (*own == '/' || !getcwd(here, sizeof(here)))
        return snprintf(path, size, "%s", own);
    return snprintf(path, size, "%s/%s", here, own);
}

int osw_build_cache_dir(char *path, size_t size, struct osw_error *err)
{
    const char *own = getenv("OPSWEEP_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n;

    if (own && *own)
        n = name_own(own, path, size);
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/opsweep", xdg);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/opsweep", home);
    else
        n = snprintf(path, size, "/tmp/opsweep-%u", (unsigned)geteuid());
    if (n < 0 || (size_t)n >= size)
        return osw_fail(err, OSW_BAD_INPUT,
                        "build cache: a path of %d bytes, expected fewer than "
                        "%zu",
                        n, size);
    return make_folders(path, err);
}

int osw_build_cache_open(const char *given, char dir[OSW_BUILD_CACHE_MAX_DIR],
                         struct osw_error *err)
{
    if (!given)
        return osw_build_cache_dir(dir, OSW_BUILD_CACHE_MAX_DIR, err);
    if (strlen(given) >= OSW_BUILD_CACHE_MAX_DIR)
        return osw_fail(err, OSW_BAD_INPUT, "build cache: path too long");
    strcpy(dir, given);
    return make_folders(dir, err);
}

/* --- files --- */

void osw_build_cache_path(const char *dir, const char *name, const char *suffix,
                          char path[OSW_BUILD_MAX_PATH])
{
    snprintf(path, OSW_BUILD_MAX_PATH, "%s/%s.%s", dir, name, suffix);
}

bool osw_build_cache_read(const char *path, size_t max_bytes,
                          struct osw_text *text, int64_t *written_unix_ns)
{
    FILE *f = fopen(path, "re");
    char chunk[4096];
    struct stat st;
    bool whole;

    if (!f)
        return false;
    whole = fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode);
    while (whole && !feof(f) && !ferror(f) && text->used <= max_bytes)
        osw_text_add_n(text, chunk, fread(chunk, 1, sizeof(chunk), f));
    whole = whole && !ferror(f) && text->used <= max_bytes && !text->failed;
    fclose(f);
    if (whole && written_unix_ns)
        *written_unix_ns =
            (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return whole;
}

static int sync_path(const char *path, int flags, struct osw_error *err)
{
    int fd = open(path, flags | O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (fsync(fd) < 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    close(fd);
    return rc;
}

int osw_build_cache_adopt(const char *dir, const char *from, const char *to,
                          struct osw_error *err)
{
    if (sync_path(from, O_RDONLY, err) < 0)
        return -1;
    if (rename(from, to) < 0)
        return osw_fail_sys(err, errno, "cannot rename '%s' to '%s'", from, to);
    return sync_path(dir, O_RDONLY | O_DIRECTORY, err);
}

int osw_build_cache_put(const char *path, const char *bytes, size_t n,
                        struct osw_error *err)
{
    FILE *f = fopen(path, "we");
    bool good;

    if (!f)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    good = fwrite(bytes, 1, n, f) == n;
    good = fclose(f) == 0 && good;
    return good ? 0 : osw_fail_sys(err, errno, "cannot write '%s'", path);
}

/* --- a folder to work in --- */

#define TMP "tmp."
enum { TMP_RANDOM = 6, DAY_S = 86400 };

int osw_build_cache_tmp_make(const char *dir, char tmp[OSW_BUILD_CACHE_MAX_TMP],
                             struct osw_error *err)
{
    snprintf(tmp, OSW_BUILD_CACHE_MAX_TMP, "%s/" TMP "XXXXXX", dir);
    if (mkdtemp(tmp))
        return 0;
    tmp[0] = '\0';
    return osw_fail_sys(err, errno, "build cache '%s': cannot make a folder",
                        dir);
}

/* Also what a compiler left that was stopped: plain files. */
void osw_build_cache_tmp_remove(const char *tmp)
{
    DIR *folder = opendir(tmp);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(tmp);
}

/* What processes left that were killed while they compiled. */
static void remove_old(const char *dir)
{
    time_t before = time(NULL) - DAY_S;
    char path[OSW_BUILD_MAX_PATH];
    DIR *folder = opendir(dir);
    struct dirent *entry;
    struct stat st;

    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, TMP, strlen(TMP)) != 0 ||
            strlen(entry->d_name) != strlen(TMP) + TMP_RANDOM)
            continue;
        snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
            st.st_mtime < before)
            osw_build_cache_tmp_remove(path);
    }
    if (folder)
        closedir(folder);
}

/* --- is it any good? --- */

enum { ROOM_BYTES = 4 * 1024 * 1024 };

/* Takes room for a file in `tmp`. */
static int take_room(const char *dir, const char *tmp, struct osw_error *err)
{
    char path[OSW_BUILD_MAX_PATH];
    int fd, e;

    snprintf(path, sizeof(path), "%s/room", tmp);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    e = fd < 0 ? errno : posix_fallocate(fd, 0, ROOM_BYTES);
    if (!e && fsync(fd) < 0)
        e = errno;
    if (fd >= 0)
        close(fd);
    return e ? osw_fail_sys(err, e, "build cache '%s': cannot write %d MiB",
                            dir, ROOM_BYTES / 1024 / 1024)
             : 0;
}

int osw_build_cache_check(const char *given, struct osw_error *err)
{
    char dir[OSW_BUILD_CACHE_MAX_DIR], tmp[OSW_BUILD_CACHE_MAX_TMP];
    struct osw_error why = OSW_ERROR_INIT;
    int rc = osw_build_cache_open(given, dir, &why);

    if (rc == 0 && osw_build_cache_tmp_make(dir, tmp, &why) == 0) {
        rc = take_room(dir, tmp, &why);
        osw_build_cache_tmp_remove(tmp);
        remove_old(dir);
    }
    return why.status == OSW_OK
               ? rc
               : osw_fail(err, why.status, "%s; cure: name another folder%s",
                          why.text, given ? "" : " by OPSWEEP_CACHE");
}

static bool has_objects(const char *dir)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    bool found = false;

    while (folder && !found && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');

        found = dot && strcmp(dot, ".so") == 0;
    }
    if (folder)
        closedir(folder);
    return found;
}

int osw_build_cache_check_read(const char *given, struct osw_error *err)
{
    char dir[OSW_BUILD_CACHE_MAX_DIR];

    return osw_build_cache_open(given, dir, NULL) == 0 &&
                   faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) < 0 &&
                   (errno == EROFS || errno == EACCES) && has_objects(dir)
               ? 0
               : osw_build_cache_check(given, err);
}

/* --- locks --- */

/* The holder removes the file of its lock: a lock on a file that has lost its
 * name is none.  Where a node sees names late (NFS), two may hold one; then
 * both build, and the later renames over the earlier.
 */
static bool has_name(int fd, const char *path)
{
    struct stat own, named;

    return fstat(fd, &own) == 0 && stat(path, &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

int osw_build_cache_lock(const char *dir, const char *name, int *fd,
                         struct osw_error *err)
{
    char path[OSW_BUILD_MAX_PATH];
    int got, rc = 0;

    osw_build_cache_path(dir, name, "lock", path);
    got = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (got < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (flock(got, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            rc = osw_fail_sys(err, errno, "cannot lock '%s'", path);
    } else if (has_name(got, path)) {
        *fd = got;
        return 1;
    }
    close(got);
    return rc;
}

void osw_build_cache_unlock(const char *dir, const char *name, int fd)
{
    char path[OSW_BUILD_MAX_PATH];

    osw_build_cache_path(dir, name, "lock", path);
    unlink(path);
    close(fd);
}

/* mpi_runner/generate/ask/asked_files.c - files of a run: written whole or not
 * at all */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"
#include "mpi_runner/generate/ask/asked.h"

void osw_asked_sha256(const char *bytes, size_t n, char out[65])
{
    SHA256Data((const uint8_t *)bytes, n, out);
}

static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

void osw_asked_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    int fd;

    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static int put(osw_asked_t *asked, const char *path, const char *bytes,
               size_t n, bool sync, struct osw_error *err)
{
    char name[PATH_MAX], temp[PATH_MAX + 8], *slash;
    int fd, rc;

    if (snprintf(name, sizeof(name), "%s/%s", osw_asked_folder(asked), path) >=
        (int)sizeof(name))
        return osw_fail(err, OSW_BAD_INPUT, "'%s': too long a path", path);
    slash = strrchr(name, '/');
    *slash = '\0';
    rc = osw_paths_make_folders(name, 0700, err);
    *slash = '/';
    if (rc < 0)
        return -1;
    snprintf(temp, sizeof(temp), "%s.part", name);
    fd =
        open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    rc = fd < 0 || write_all(fd, bytes, n) < 0 || (sync && fsync(fd) < 0) ? -1
                                                                          : 0;
    if (fd >= 0 && close(fd) < 0)
        rc = -1;
    if (rc < 0 || rename(temp, name) < 0) {
        osw_fail_sys(err, errno, "cannot write '%s'", name);
        (void)unlink(temp);
        return -1;
    }
    if (sync)
        osw_asked_sync_folder(name);
    return 0;
}

int osw_asked_put(osw_asked_t *asked, const char *path, const char *bytes,
                  size_t n, struct osw_error *err)
{
    return put(asked, path, bytes, n, true, err);
}

int osw_asked_write(osw_asked_t *asked, const char *path, const char *bytes,
                    size_t n, struct osw_error *err)
{
    return put(asked, path, bytes, n, false, err);
}

int osw_asked_get(const osw_asked_t *asked, const char *path, size_t most,
                  char **bytes, size_t *n, struct osw_error *err)
{
    char name[PATH_MAX];
    struct stat st;
    char *made = NULL;
    FILE *f;

    snprintf(name, sizeof(name), "%s/%s", osw_asked_folder(asked), path);
    f = fopen(name, "re");
    if (!f || fstat(fileno(f), &st) < 0) {
        osw_fail_sys(err, errno, "cannot read '%s'", name);
    } else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > most) {
        osw_fail(err, OSW_BAD_INPUT,
                 "'%s': expected a file of at most %zu "
                 "bytes",
                 name, most);
    } else if (!(made = malloc((size_t)st.st_size + 1))) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", name);
    } else {
        *n = fread(made, 1, (size_t)st.st_size, f);
        made[*n] = '\0';
        *bytes = made;
    }
    if (f)
        fclose(f);
    return made ? 0 : -1;
}

/* results/journal/journal.c - an append-only log that survives kill -9: writing
 */
#include "results/journal/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "results/journal/lock.h"

enum { MAX_PATH = 4096 };

struct osw_journal {
    char *dir;
    struct osw_segment segment; /* the one being written */
    int fd;                     /* its file; -1: none */
    uint64_t good_bytes;        /* committed in it */
    size_t segment_bytes;
    bool relaxed;
    bool rotate; /* its tail cannot be trusted: go on in a new one */
    bool locked;
    int64_t heartbeat_ns; /* osw_clock_ns() when the lock was last seen ours */

    unsigned char *buffer; /* frames that wait */
    size_t used, size;
    size_t pushed; /* of used: written, not synced */
    uint32_t n_waiting;
    int64_t first_waiting_ns;     /* osw_clock_ns() of the first of them */
    uint64_t appended, committed; /* sequence numbers */
};

void osw_journal_segment_path(const char *dir, uint32_t number, char *path,
                              size_t size)
{
    snprintf(path, size, "%s/%06" PRIu32 ".jnl", dir, number);
}

static int fsync_dir(const char *dir, struct osw_error *err)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? -1 : fsync(fd);

    if (rc && errno != EINVAL) /* some file systems cannot */
        osw_fail_sys(err, errno, "cannot sync directory '%s'", dir);
    else
        rc = 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* All of it, whatever write() takes at a time.  -1: errno says why. */
static int write_all(int fd, const unsigned char *data, size_t n, uint64_t at)
{
    while (n) {
        ssize_t got = pwrite(fd, data, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return -1;
        data += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

/* What the reader of "disk full" has to know. */
static int fail_write(const osw_journal_t *j, int errnum, size_t bytes,
                      struct osw_error *err)
{
    struct statvfs fs;
    double mib = 1024.0 * 1024.0, free_mib = 0;

    if (errnum != ENOSPC && errnum != EDQUOT && errnum != EFBIG)
        return osw_fail_sys(err, errnum, "cannot write journal '%s'", j->dir);
    if (statvfs(j->dir, &fs) == 0)
        free_mib = (double)fs.f_bavail * (double)fs.f_frsize / mib;
    return osw_fail(err, OSW_SYSTEM,
                    "cannot write journal '%s': %s; %.1f MiB are waiting to be "
                    "written, %.1f MiB are free; nothing recorded so far is "
                    "lost",
                    j->dir, strerror(errnum), (double)bytes / mib, free_mib);
}

/* Make segment `number`, whose first frame will be first_seq, and make it the
 * one being written.  On failure the present one stays.
 */
static int start_segment(osw_journal_t *j, uint32_t number, uint64_t first_seq,
                         struct osw_error *err)
{
    unsigned char header[OSW_SEGMENT_HEADER_BYTES];
    struct osw_segment s = j->segment;
    char path[MAX_PATH];
    int fd;

    s.number = number;
    s.first_seq = first_seq;
    if (osw_segment_encode(&s, header, err))
        return -1;
    osw_journal_segment_path(j->dir, number, path, sizeof(path));
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot make '%s'", path);
    if (write_all(fd, header, sizeof(header), 0) || fsync(fd)) {
        fail_write(j, errno, sizeof(header), err);
        goto undo;
    }
    if (fsync_dir(j->dir, err))
        goto undo;
    if (j->fd >= 0)
        close(j->fd);
    j->fd = fd;
    j->segment = s;
    j->good_bytes = sizeof(header);
    j->rotate = false;
    return 0;
undo:
    close(fd);
    unlink(path);
    return -1;
}

static osw_journal_t *new_journal(const char *dir,
                                  const struct osw_journal_config *config,
                                  struct osw_error *err)
{
    osw_journal_t *j = calloc(1, sizeof(*j));

    if (j) {
        j->dir = strdup(dir);
        j->size = 2 * OSW_JOURNAL_DUE_BYTES;
        j->buffer = malloc(j->size);
    }
    if (!j || !j->dir || !j->buffer) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for journal '%s'", dir);
        if (j) {
            free(j->dir);
            free(j->buffer);
        }
        free(j);
        return NULL;
    }
    j->fd = -1;
    j->relaxed = config->relaxed;
    j->segment_bytes = config->segment_bytes ? config->segment_bytes
                                             : OSW_JOURNAL_SEGMENT_BYTES;
    return j;
}

/* Of a folder that was just made: another process may take it for one that was
 * left over, and remove it.
 */
static int lock_new(const char *dir, const char *uuid, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_lock_take(dir, uuid, 0, &why) == 0)
        return 0;
    return why.status == OSW_SYSTEM && errno == ENOENT
               ? osw_lock_fail_changing(dir, err)
               : osw_fail(err, why.status, "%s", why.text);
}

osw_journal_t *osw_journal_create(const char *dir,
                                  const struct osw_journal_config *config,
                                  struct osw_error *err)
{
    osw_journal_t *j;

    if (strlen(dir) > MAX_PATH - 32) {
        osw_fail(err, OSW_BAD_INPUT, "path '%.64s...' is too long", dir);
        return NULL;
    }
    j = new_journal(dir, config, err);
    if (!j)
        return NULL;
    snprintf(j->segment.uuid, sizeof(j->segment.uuid), "%s", config->uuid);
    snprintf(j->segment.tool_version, sizeof(j->segment.tool_version), "%s",
             config->tool_version);
    memcpy(j->segment.campaign_sha256, config->campaign_sha256, 32);
    if (mkdir(dir, 0777)) {
        if (errno == EEXIST)
            osw_fail(err, OSW_BAD_INPUT, "'%s' exists", dir);
        else if (errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
                 errno == EPERM || errno == EROFS)
            osw_fail(err, OSW_BAD_INPUT, "cannot make directory '%s': %s", dir,
                     strerror(errno));
        else
            osw_fail_sys(err, errno, "cannot make directory '%s'", dir);
        goto fail;
    }
    j->locked = lock_new(dir, config->uuid, err) == 0;
    j->heartbeat_ns = osw_clock_ns();
    if (!j->locked || start_segment(j, 0, 1, err)) {
        osw_journal_close(j);
        rmdir(dir);
        return NULL;
    }
    return j;
fail:
    osw_journal_close(j);
    return NULL;
}

/* Bytes after the last good record are kept for diagnosis, as far as there is
 * space.
 */
static void keep_tail(const osw_journal_t *j)
{
    char path[MAX_PATH], block[4096];
    off_t at = (off_t)j->good_bytes;
    ssize_t n = pread(j->fd, block, sizeof(block), at);
    int fd;

    if (n <= 0)
        return;
    snprintf(path, sizeof(path), "%s/%06" PRIu32 ".torn", j->dir,
             j->segment.number);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    while (fd >= 0 && n > 0 && write(fd, block, (size_t)n) == n) {
        at += n;
        n = pread(j->fd, block, sizeof(block), at);
    }
    if (fd >= 0)
        close(fd);
}

/* Continue after the last record that a scan found: cut the torn tail off. */
static int continue_at(osw_journal_t *j, const struct osw_journal_tail *tail,
                       struct osw_error *err)
{
    char path[MAX_PATH];

    j->segment = tail->first;
    j->segment.number = tail->n_segments - 1;
    j->appended = j->committed = tail->last_seq;
    j->good_bytes = tail->good_bytes;
    osw_journal_segment_path(j->dir, tail->n_segments, path, sizeof(path));
    unlink(path); /* one whose header was not written whole */
    osw_journal_segment_path(j->dir, j->segment.number, path, sizeof(path));
    j->fd = open(path, O_RDWR | O_CLOEXEC);
    if (j->fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    keep_tail(j);
    if (ftruncate(j->fd, (off_t)j->good_bytes) || fsync(j->fd))
        return osw_fail_sys(err, errno, "cannot truncate '%s'", path);
    return 0;
}

osw_journal_t *osw_journal_open(const char *dir,
                                const struct osw_journal_config *config,
                                struct osw_error *err)
{
    struct osw_journal_tail tail;
    osw_journal_t *j;

    if (osw_journal_scan(dir, NULL, NULL, &tail, err))
        return NULL;
    j = new_journal(dir, config, err);
    if (!j)
        return NULL;
    /* Scan again under the lock: another may have written meanwhile. */
    j->locked =
        osw_lock_take(dir, tail.first.uuid, config->patience_ns, err) == 0;
    j->heartbeat_ns = osw_clock_ns();
    if (j->locked && osw_journal_scan(dir, NULL, NULL, &tail, err) == 0 &&
        continue_at(j, &tail, err) == 0)
        return j;
    osw_journal_close(j);
    return NULL;
}

void osw_journal_close(osw_journal_t *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    if (j->locked)
        osw_lock_release(j->dir);
    free(j->buffer);
    free(j->dir);
    free(j);
}

int osw_journal_rename(osw_journal_t *j, const char *dir, struct osw_error *err)
{
    char *name = strdup(dir), *parent = strdup(dir);
    char *slash = parent ? strrchr(parent, '/') : NULL;
    int rc = -1;

    if (!name || !parent) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for journal '%s'", dir);
        goto out;
    }
    if (rename(j->dir, dir)) {
        if (errno == ENOTEMPTY || errno == EEXIST)
            osw_fail(err, OSW_BAD_INPUT, "'%s' exists", dir);
        else
            osw_fail_sys(err, errno, "cannot rename '%s'", j->dir);
        goto out;
    }
    free(j->dir);
    j->dir = name;
    name = NULL;
    if (slash)
        slash[slash == parent] = '\0';
    rc = fsync_dir(slash ? parent : ".", err);
out:
    free(name);
    free(parent);
    return rc;
}

void osw_journal_set_relaxed(osw_journal_t *j, bool relaxed)
{
    j->relaxed = relaxed;
}

/* Room for `bytes` more in the buffer; a large record makes it grow. */
static int reserve(osw_journal_t *j, size_t bytes, struct osw_error *err)
{
    unsigned char *buffer;

    if (j->n_waiting && j->used + bytes > OSW_JOURNAL_DUE_BYTES &&
        osw_journal_commit(j, err))
        return -1;
    if (bytes <= j->size - j->used)
        return 0;
    buffer = realloc(j->buffer, j->used + bytes);
    if (!buffer)
        return osw_fail(err, OSW_NO_MEMORY,
                        "no memory for a journal record of %zu bytes", bytes);
    j->buffer = buffer;
    j->size = j->used + bytes;
    return 0;
}

int osw_journal_append(osw_journal_t *j, uint16_t type, uint16_t version,
                       const void *payload, size_t payload_bytes,
                       struct osw_error *err)
{
    size_t bytes;

    if (payload_bytes > OSW_FRAME_MAX_PAYLOAD)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record of %zu bytes, at most %d",
                        payload_bytes, OSW_FRAME_MAX_PAYLOAD);
    bytes = osw_frame_bytes(payload_bytes);
    if (reserve(j, bytes, err))
        return -1;
    if (j->n_waiting == 0)
        j->first_waiting_ns = osw_clock_ns();
    osw_frame_encode(j->buffer + j->used, j->appended + 1, type, version,
                     payload, payload_bytes);
    j->used += bytes;
    j->n_waiting++;
    j->appended++;
    return 0;
}

bool osw_journal_due(const osw_journal_t *j, int64_t now_ns)
{
    if (now_ns - j->heartbeat_ns >= OSW_LOCK_HEARTBEAT_NS)
        return true;
    return j->n_waiting && (j->n_waiting >= OSW_JOURNAL_DUE_RECORDS ||
                            j->used >= OSW_JOURNAL_DUE_BYTES ||
                            now_ns - j->first_waiting_ns >= OSW_JOURNAL_DUE_NS);
}

/* The tail after good_bytes must never be read.  A segment whose tail cannot be
 * cut is closed: the first number of the next segment says where it ends.
 */
static void cut_tail(osw_journal_t *j)
{
    j->pushed = 0;
    if (ftruncate(j->fd, (off_t)j->good_bytes))
        j->rotate = true;
}

/* Show that we are alive, and check that the lock was not taken over. */
static int heartbeat(osw_journal_t *j, struct osw_error *err)
{
    int64_t now = osw_clock_ns();

    if (now - j->heartbeat_ns < OSW_LOCK_HEARTBEAT_NS)
        return 0;
    if (osw_lock_heartbeat(j->dir, err))
        return -1;
    j->heartbeat_ns = now;
    return 0;
}

int osw_journal_push(osw_journal_t *j, struct osw_error *err)
{
    if (heartbeat(j, err))
        return -1;
    if (j->used == j->pushed)
        return 0;
    if (j->rotate || (j->good_bytes > OSW_SEGMENT_HEADER_BYTES &&
                      j->good_bytes + j->used > j->segment_bytes)) {
        if (j->pushed)
            cut_tail(j);
        if (start_segment(j, j->segment.number + 1, j->committed + 1, err))
            return -1;
    }
    if (write_all(j->fd, j->buffer + j->pushed, j->used - j->pushed,
                  j->good_bytes + j->pushed)) {
        fail_write(j, errno, j->used, err);
        cut_tail(j);
        return -1;
    }
    j->pushed = j->used;
    return 0;
}

int osw_journal_commit(osw_journal_t *j, struct osw_error *err)
{
    if (osw_journal_push(j, err))
        return -1;
    if (j->n_waiting == 0)
        return 0;
    if (!j->relaxed && fdatasync(j->fd)) {
        /* The pages may be gone, and a second fdatasync would not tell. */
        fail_write(j, errno, j->used, err);
        cut_tail(j);
        j->rotate = true;
        return -1;
    }
    j->good_bytes += j->used;
    j->used = j->pushed = 0;
    j->n_waiting = 0;
    j->committed = j->appended;
    return 0;
}

uint64_t osw_journal_appended(const osw_journal_t *j)
{
    return j->appended;
}

uint64_t osw_journal_committed(const osw_journal_t *j)
{
    return j->committed;
}

static int is_journal_file(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return strcmp(e->d_name, "lock") == 0 ||
           strncmp(e->d_name, "lock.", 5) == 0 ||
           strncmp(e->d_name, "outlived.", 9) == 0 || /* begun.h */
           strncmp(e->d_name, "at_work.", 8) == 0 ||
           (n > 4 && strcmp(e->d_name + n - 4, ".jnl") == 0) ||
           (n > 5 && strcmp(e->d_name + n - 5, ".torn") == 0);
}

/* Remove what a journal consists of, and the directory if that was all. */
static int empty_dir(const char *dir)
{
    struct dirent **files = NULL;
    char path[2 * MAX_PATH];
    int n = scandir(dir, &files, is_journal_file, NULL);

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, files[i]->d_name);
        unlink(path);
        free(files[i]);
    }
    free(files);
    return rmdir(dir);
}

static int is_not_of_nfs(const struct dirent *e)
{
    return strncmp(e->d_name, ".nfs", 4) != 0 && strcmp(e->d_name, ".") != 0 &&
           strcmp(e->d_name, "..") != 0;
}

/* On NFS a removed file has another name while a process has it open: workers
 * have some until they end.  Then the server removes it.
 */
static bool is_left_to_nfs(const char *dir)
{
    struct dirent **files = NULL;
    int n = scandir(dir, &files, is_not_of_nfs, NULL);

    for (int i = 0; i < n; i++)
        free(files[i]);
    free(files);
    return n == 0;
}

static int remove_dir(const char *dir, struct osw_error *err)
{
    char gone[MAX_PATH];

    snprintf(gone, sizeof(gone), "%s.removed", dir);
    empty_dir(gone); /* left over by a crash */
    if (rename(dir, gone))
        return osw_fail_sys(err, errno, "cannot rename '%s'", dir);
    if (empty_dir(gone) && !is_left_to_nfs(gone))
        return osw_fail_sys(err, ENOTEMPTY, "cannot remove '%s'", gone);
    return 0;
}

int osw_journal_remove(osw_journal_t *j, struct osw_error *err)
{
    int rc;

    close(j->fd);
    j->fd = -1;
    rc = remove_dir(j->dir, err);
    j->locked = rc != 0; /* the lock file went with the rest */
    osw_journal_close(j);
    return rc;
}

int osw_journal_discard(const char *dir, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (strlen(dir) > MAX_PATH - 32)
        return osw_fail(err, OSW_BAD_INPUT, "path '%.64s...' is too long", dir);
    if (osw_lock_take(dir, "-", 0, &why)) /* or its run has put it in place */
        return access(dir, F_OK) < 0
                   ? 0
                   : osw_fail(err, why.status, "%s", why.text);
    return remove_dir(dir, err);
}

/* results/journal/journal_scan.c - an append-only log that survives kill -9:
 * reading */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/journal/journal.h"

enum { MAX_PATH = 4096 };

/* The largest batch after a full segment is one buffer and one record. */
static const uint64_t max_segment_bytes = 4096u + (UINT64_C(1) << 31);

/* A segment in memory. */
struct loaded {
    unsigned char *data; /* owned */
    size_t n, size;
};

static int read_whole(int fd, const char *path, struct loaded *s, size_t n,
                      struct osw_error *err)
{
    if (n > s->size) {
        unsigned char *data = realloc(s->data, n);

        if (!data)
            return osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", path);
        s->data = data;
        s->size = n;
    }
    for (s->n = 0; s->n < n;) {
        ssize_t got = pread(fd, s->data + s->n, n - s->n, (off_t)s->n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return osw_fail_sys(err, errno, "cannot read '%s'", path);
        if (got == 0)
            break; /* became shorter meanwhile */
        s->n += (size_t)got;
    }
    return 0;
}

/* Read at most `most` bytes of a segment; *bytes is its whole size. */
static int load(const char *path, uint64_t most, struct loaded *s,
                uint64_t *bytes, struct osw_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = -1;

    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot open '%s'", path);
    if (fstat(fd, &st))
        osw_fail_sys(err, errno, "cannot read '%s'", path);
    else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max_segment_bytes)
        osw_fail(err, OSW_BAD_INPUT, "'%s' is no journal segment", path);
    else
        rc = read_whole(fd, path, s,
                        (uint64_t)st.st_size < most ? (size_t)st.st_size
                                                    : (size_t)most,
                        err);
    if (rc == 0)
        *bytes = (uint64_t)st.st_size;
    close(fd);
    return rc;
}

/* Segments are numbered without gaps; this is how many there are. */
static uint32_t count_segments(const char *dir)
{
    char path[MAX_PATH];
    uint32_t n = 0;

    for (;; n++) {
        osw_journal_segment_path(dir, n, path, sizeof(path));
        if (access(path, F_OK))
            return n;
    }
}

int osw_journal_count_segments(const char *dir, uint32_t *n,
                               struct osw_error *err)
{
    if (strlen(dir) > MAX_PATH - 32)
        return osw_fail(err, OSW_BAD_INPUT, "path '%.64s...' is too long", dir);
    *n = count_segments(dir);
    if (*n == 0)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' holds no journal", dir);
    return 0;
}

int osw_journal_read_segment(const char *dir, uint32_t k, unsigned char **data,
                             size_t *n, struct osw_error *err)
{
    struct loaded s = {.data = NULL};
    char path[MAX_PATH];
    uint64_t bytes;

    osw_journal_segment_path(dir, k, path, sizeof(path));
    if (load(path, max_segment_bytes, &s, &bytes, err)) {
        free(s.data);
        return -1;
    }
    *data = s.data;
    *n = s.n;
    return 0;
}

int osw_journal_scan_segment(const unsigned char *data, size_t n,
                             const struct osw_segment *segment,
                             uint64_t end_seq, osw_journal_f cb, void *arg,
                             size_t *at, uint64_t *seq, struct osw_error *err)
{
    struct osw_journal_place place = {.segment = segment->number};
    struct osw_frame frame;

    *at = OSW_SEGMENT_HEADER_BYTES;
    *seq = segment->first_seq;
    while (*seq < end_seq && *at < n &&
           osw_frame_decode(data + *at, n - *at, *seq, &frame)) {
        place.payload_at = *at + OSW_FRAME_HEADER_BYTES;
        place.payload_bytes = (uint32_t)frame.payload_bytes;
        if (cb && cb(arg, &frame, &place, err))
            return -1;
        *at += frame.bytes;
        ++*seq;
    }
    return 0;
}

/* The state of a scan over segments. */
struct scan {
    const char *dir;
    osw_journal_f cb;
    void *arg;
    struct loaded data;
    struct osw_journal_tail tail;
};

/* Read the header of segment k.  1: it was not written whole, and nothing can
 * follow it.
 */
static int read_header(struct scan *s, uint32_t k, struct osw_segment *out,
                       struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    char path[MAX_PATH];
    uint64_t bytes;

    osw_journal_segment_path(s->dir, k, path, sizeof(path));
    if (load(path, OSW_SEGMENT_HEADER_BYTES, &s->data, &bytes, err))
        return -1;
    if (osw_segment_decode(s->data.data, s->data.n, out, &why)) {
        if (bytes <= OSW_SEGMENT_HEADER_BYTES && k > 0)
            return 1;
        return osw_fail(err, why.status, "'%s': %s", path, why.text);
    }
    if (out->number != k ||
        (k > 0 && strcmp(out->uuid, s->tail.first.uuid) != 0))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' does not belong to this journal", path);
    if (k == 0)
        s->tail.first = *out;
    return 0;
}

/* Read the records of one segment.  end_seq is where the next one begins, or
 * UINT64_MAX for the last.
 */
static int scan_one(struct scan *s, const struct osw_segment *segment,
                    uint64_t end_seq, struct osw_error *err)
{
    char path[MAX_PATH];
    uint64_t bytes, seq;
    size_t at;

    osw_journal_segment_path(s->dir, segment->number, path, sizeof(path));
    if (segment->first_seq != s->tail.last_seq + 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' begins at record %" PRIu64 ", expected %" PRIu64,
                        path, segment->first_seq, s->tail.last_seq + 1);
    if (load(path, max_segment_bytes, &s->data, &bytes, err) ||
        osw_journal_scan_segment(s->data.data, s->data.n, segment, end_seq,
                                 s->cb, s->arg, &at, &seq, err))
        return -1;
    if (end_seq != UINT64_MAX && seq != end_seq)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': record %" PRIu64 " at byte %zu is damaged", path,
                        seq, at);
    s->tail.last_seq = seq - 1;
    s->tail.good_bytes = at;
    if (end_seq == UINT64_MAX)
        s->tail.dropped_bytes += bytes - at;
    return 0;
}

static int scan_all(struct scan *s, struct osw_error *err)
{
    struct osw_segment now, next;
    uint32_t n;
    int rc;

    if (osw_journal_count_segments(s->dir, &n, err))
        return -1;
    if (read_header(s, 0, &now, err))
        return -1;
    for (uint32_t k = 0; k < n; k++, now = next) {
        uint64_t end_seq = UINT64_MAX;

        if (k + 1 < n) {
            rc = read_header(s, k + 1, &next, err);
            if (rc < 0)
                return -1;
            if (rc > 0 && k + 2 < n)
                return osw_fail(err, OSW_BAD_INPUT,
                                "journal '%s': header of segment %u is damaged",
                                s->dir, k + 1);
            if (rc > 0) {
                s->tail.dropped_bytes += s->data.n;
                n--;
            } else {
                end_seq = next.first_seq;
            }
        }
        if (scan_one(s, &now, end_seq, err))
            return -1;
    }
    s->tail.n_segments = n;
    return 0;
}

int osw_journal_scan(const char *dir, osw_journal_f cb, void *arg,
                     struct osw_journal_tail *tail, struct osw_error *err)
{
    struct scan s = {.dir = dir, .cb = cb, .arg = arg};
    int rc;

    rc = scan_all(&s, err);
    if (rc == 0)
        *tail = s.tail;
    free(s.data.data);
    return rc;
}

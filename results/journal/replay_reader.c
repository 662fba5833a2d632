/* results/journal/replay_reader.c - results of a journal, read at their places
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/wire.h"
#include "results/journal/replay.h"

enum { SPARE_FILES = 64 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read the journal");
}

struct osw_replay_reader {
    uint32_t n_files;
    int *files; /* [n_files]; -1: no row is in it */
};

static int open_segments(osw_replay_reader_t *reader,
                         const struct osw_replay *replay, struct osw_error *err)
{
    char path[4096];

    for (size_t i = 0; i < replay->n_rows; i++) {
        uint32_t k = replay->rows[i].segment;

        if (reader->files[k] >= 0)
            continue;
        osw_journal_segment_path(replay->dir, k, path, sizeof(path));
        reader->files[k] = open(path, O_RDONLY | O_CLOEXEC);
        if (reader->files[k] < 0)
            return osw_fail_sys(err, errno, "cannot open '%s'", path);
    }
    return 0;
}

/* As many as the hard limit allows: without them, opening says what is wrong.
 */
static void allow_files(uint32_t n)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
        files.rlim_cur >= (rlim_t)n + SPARE_FILES)
        return;
    files.rlim_cur = (rlim_t)n + SPARE_FILES < files.rlim_max
                         ? (rlim_t)n + SPARE_FILES
                         : files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

osw_replay_reader_t *osw_replay_reader_open(const struct osw_replay *replay,
                                            struct osw_error *err)
{
    osw_replay_reader_t *reader = calloc(1, sizeof(*reader));
    uint32_t n = 0;

    for (size_t i = 0; i < replay->n_rows; i++)
        if (replay->rows[i].segment >= n)
            n = replay->rows[i].segment + 1;
    if (reader)
        reader->files = malloc((n + 1) * sizeof(*reader->files));
    if (!reader || !reader->files) {
        no_memory(err);
        free(reader);
        return NULL;
    }
    reader->n_files = n;
    for (uint32_t k = 0; k < n; k++)
        reader->files[k] = -1;
    allow_files(n);
    if (open_segments(reader, replay, err)) {
        osw_replay_reader_close(reader);
        return NULL;
    }
    return reader;
}

void osw_replay_reader_close(osw_replay_reader_t *reader)
{
    if (!reader)
        return;
    for (uint32_t k = 0; k < reader->n_files; k++)
        if (reader->files[k] >= 0)
            close(reader->files[k]);
    free(reader->files);
    free(reader);
}

int osw_replay_read(const osw_replay_reader_t *reader,
                    const struct osw_replay_row *row, unsigned char *buffer,
                    float *samples, struct osw_record *out,
                    struct osw_error *err)
{
    size_t n = row->payload_bytes;
    struct osw_reader r = osw_reader(buffer, n);
    ssize_t got;

    if (n > OSW_RECORD_MAX_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record at %u in segment %u: %zu bytes, at "
                        "most %d",
                        row->payload_at, (unsigned)row->segment, n,
                        OSW_RECORD_MAX_BYTES);
    do
        got = pread(reader->files[row->segment], buffer, n,
                    (off_t)row->payload_at);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return osw_fail_sys(err, errno, "cannot read the journal");
    if ((size_t)got != n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal record at %u in segment %u is cut off",
                        row->payload_at, (unsigned)row->segment);
    return osw_record_decode(&r, out, samples, err);
}

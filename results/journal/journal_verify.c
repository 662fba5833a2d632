/* results/journal/journal_verify.c - is a journal whole, and where does it end?
 */
#include "results/journal/journal_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/record/record.h"
#include "results/journal/entry.h"
#include "results/journal/journal.h"

enum { MAX_PATH = 4096 };

struct verifying {
    const char *dir;
    struct osw_journal_verdict *out;
    struct osw_segment first;
    uint64_t next_seq;
    float *samples; /* [OSW_RECORD_MAX_SAMPLES], for the decoder */
};

static bool is_bad(const struct verifying *v)
{
    return v->out->why[0] != '\0';
}

/* Only the first finding is told. */
static void find_fault(struct verifying *v, enum osw_journal_state state,
                       uint32_t segment, uint64_t offset, const char *why)
{
    if (is_bad(v)) {
        v->out->state = OSW_JOURNAL_DAMAGED;
        return;
    }
    v->out->state = state;
    v->out->segment = segment;
    v->out->offset = offset;
    v->out->seq = v->next_seq;
    snprintf(v->out->why, sizeof(v->out->why), "%s", why);
}

/* Whole frames with contents that opsweep never writes are damage, too. */
static int check_entry(void *arg, const struct osw_frame *frame,
                       const struct osw_journal_place *place,
                       struct osw_error *err)
{
    struct verifying *v = arg;
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_entry entry;

    (void)err;
    if (is_bad(v)) {
        v->out->n_after++;
        return 0;
    }
    if (osw_entry_decode(frame, &entry, v->samples, &why) < 0)
        find_fault(v, OSW_JOURNAL_DAMAGED, place->segment,
                   place->payload_at - OSW_FRAME_HEADER_BYTES, why.text);
    else
        v->out->n_records++;
    return 0;
}

/* Whole frames after the bad bytes at data[at..n). */
static void count_after(struct verifying *v, const unsigned char *data,
                        size_t n, size_t at, uint64_t seq, uint64_t end_seq)
{
    struct osw_frame frame;

    while ((at = osw_frame_find(data, n, at, seq, &frame)) < n &&
           frame.seq < end_seq) {
        v->out->n_after++;
        v->out->state = OSW_JOURNAL_DAMAGED;
        seq = frame.seq + 1;
        at += frame.bytes;
    }
}

/* The frames of a segment up to end_seq, where the next one begins. */
static int check_frames(struct verifying *v, const unsigned char *data,
                        size_t n, const struct osw_segment *segment,
                        uint64_t end_seq, struct osw_error *err)
{
    bool last = end_seq == UINT64_MAX;
    char why[200];
    uint64_t seq;
    size_t at;

    if (segment->first_seq != v->next_seq && !is_bad(v)) {
        snprintf(why, sizeof(why),
                 "it begins at record %" PRIu64 ", expected %" PRIu64,
                 segment->first_seq, v->next_seq);
        find_fault(v, OSW_JOURNAL_DAMAGED, segment->number, 0, why);
    }
    if (osw_journal_scan_segment(data, n, segment, end_seq, check_entry, v, &at,
                                 &seq, err))
        return -1;
    v->next_seq = seq;
    if (last ? at == n : seq == end_seq)
        return 0;
    if (at == n)
        snprintf(why, sizeof(why), "the segment ends, records are missing");
    else
        osw_frame_fault(data + at, n - at, seq, why, sizeof(why));
    find_fault(v, last ? OSW_JOURNAL_TORN : OSW_JOURNAL_DAMAGED,
               segment->number, at, why);
    v->out->n_bad_bytes += n - at;
    count_after(v, data, n, at, seq, end_seq);
    return 0;
}

/* Read the header of data[n]; false: it is none of this journal. */
static bool read_header(struct verifying *v, uint32_t k,
                        const unsigned char *data, size_t n,
                        struct osw_segment *out)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_segment_decode(data, n, out, &why) == 0 && out->number == k &&
        (k == 0 || strcmp(out->uuid, v->first.uuid) == 0))
        return true;
    find_fault(v, OSW_JOURNAL_DAMAGED, k, 0,
               why.status != OSW_OK ? why.text
                                    : "the header is not of this journal");
    return false;
}

/* Where the segment after k begins; UINT64_MAX: there is none, or its header
 * says nothing.
 */
static uint64_t find_end(const struct verifying *v, uint32_t k)
{
    unsigned char header[OSW_SEGMENT_HEADER_BYTES];
    struct osw_segment next;
    char path[MAX_PATH];
    size_t n;
    FILE *f;

    osw_journal_segment_path(v->dir, k + 1, path, sizeof(path));
    f = fopen(path, "re");
    if (!f)
        return UINT64_MAX;
    n = fread(header, 1, sizeof(header), f);
    fclose(f);
    return osw_segment_decode(header, n, &next, NULL) == 0 ? next.first_seq
                                                           : UINT64_MAX;
}

/* A header that was not written whole, of the last segment, was never used. */
static bool is_half_made(const struct verifying *v, uint32_t k, size_t n)
{
    char path[MAX_PATH];

    osw_journal_segment_path(v->dir, k + 1, path, sizeof(path));
    return k > 0 && n <= OSW_SEGMENT_HEADER_BYTES && access(path, F_OK) != 0;
}

static int check_segment(struct verifying *v, uint32_t k, struct osw_error *err)
{
    struct osw_segment segment;
    unsigned char *data;
    size_t n;
    int rc = 0;

    if (osw_journal_read_segment(v->dir, k, &data, &n, err))
        return -1;
    v->out->n_bytes += n;
    v->out->n_segments++;
    if (read_header(v, k, data, n, &segment)) {
        if (k == 0) {
            v->first = segment;
            v->next_seq = segment.first_seq;
        }
        rc = check_frames(v, data, n, &segment, find_end(v, k), err);
    } else {
        if (is_half_made(v, k, n) && v->out->segment == k)
            v->out->state = OSW_JOURNAL_TORN;
        v->out->n_bad_bytes += n;
    }
    free(data);
    return rc;
}

int osw_journal_verify(const char *dir, struct osw_journal_verdict *out,
                       struct osw_error *err)
{
    struct osw_journal_verdict found = {.state = OSW_JOURNAL_WHOLE};
    struct verifying v = {.dir = dir, .out = &found, .next_seq = 1};
    uint32_t n;
    int rc = 0;

    if (osw_journal_count_segments(dir, &n, err))
        return -1;
    v.samples = malloc(OSW_RECORD_MAX_SAMPLES * sizeof(*v.samples));
    if (!v.samples)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", dir);
    for (uint32_t k = 0; rc == 0 && k < n; k++)
        rc = check_segment(&v, k, err);
    free(v.samples);
    if (rc == 0)
        *out = found;
    return rc;
}

/* results/journal/journal.h - an append-only log that survives kill -9
 *
 * A directory of segments 000000.jnl, 000001.jnl, ... and a lock.  Records are
 * opaque here: entry.h knows what is in them, segment.h how they are framed.
 *
 * A record counts once osw_journal_commit() returned 0 after it.  No failure
 * loses what counted: a write that fails is cut off again, and what was
 * not committed stays in memory for the next attempt.
 *
 * Upstream: run.c appends, replay.c scans.  Coordinator only; blocks for file
 * I/O.
 */
#ifndef OSW_RESULTS_JOURNAL_H
#define OSW_RESULTS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/journal/segment.h"

enum {
    OSW_JOURNAL_SEGMENT_BYTES = 64 << 20,
    OSW_JOURNAL_DUE_RECORDS = 4096,
    OSW_JOURNAL_DUE_BYTES = 4 << 20,
    OSW_JOURNAL_DUE_NS = 1000000000,
};

/* What identifies the run, and how safely it is written. */
struct osw_journal_config {
    const char *uuid;               /* of the run, 36 characters */
    const uint8_t *campaign_sha256; /* [32] */
    const char *tool_version;
    bool relaxed;         /* no fdatasync: survives a crash of the process, not
                             of the machine */
    size_t segment_bytes; /* 0: OSW_JOURNAL_SEGMENT_BYTES */
    int64_t patience_ns;  /* for a lock of another host: see lock.h */
};

typedef struct osw_journal osw_journal_t;

/* Make the directory `dir`, which must not exist, take its lock and write the
 * first header.  Returns a journal that the caller owns, or NULL with err set
 * and nothing left over: OSW_BAD_INPUT when dir exists, OSW_SYSTEM,
 * OSW_NO_MEMORY.
 */
osw_journal_t *osw_journal_create(const char *dir,
                                  const struct osw_journal_config *config,
                                  struct osw_error *err) OSW_MUST_CHECK;

/* Take the lock of an existing journal, put a torn tail aside (000007.torn) and
 * continue after its last record.  Of config uuid, campaign_sha256 and
 * tool_version are not used.
 */
osw_journal_t *osw_journal_open(const char *dir,
                                const struct osw_journal_config *config,
                                struct osw_error *err) OSW_MUST_CHECK;

/* Release lock and memory.  What was neither committed nor pushed is dropped.
 */
void osw_journal_close(osw_journal_t *journal); /* NULL is ignored */

/* Give the journal the name `dir`, at once and for good, or change nothing.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT when that exists, OSW_SYSTEM.
 */
int osw_journal_rename(osw_journal_t *journal, const char *dir,
                       struct osw_error *err) OSW_MUST_CHECK;

/* From now on commit with fdatasync or without. */
void osw_journal_set_relaxed(osw_journal_t *journal, bool relaxed);

/* Append one record to the buffer.  Commits first when the buffer is full
 * (OSW_JOURNAL_DUE_BYTES).  Returns 0, or -1 with err set and the record not
 * appended.
 */
int osw_journal_append(osw_journal_t *journal, uint16_t type, uint16_t version,
                       const void *payload, size_t payload_bytes,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Is a commit due at `now_ns` of osw_clock_ns()?  By number of records, bytes,
 * or time since the first of them; and when the lock has to be shown alive.
 */
bool osw_journal_due(const osw_journal_t *journal, int64_t now_ns);

/* Write and sync everything appended.  Returns 0, or -1 with err set
 * (OSW_SYSTEM; for a full disk the message names the space needed; for a lock
 * that was taken over, its new holder): nothing is lost, and a later commit
 * tries again.
 */
int osw_journal_commit(osw_journal_t *journal,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Write everything appended, without sync: it survives the end of this process,
 * not of the machine, and is not committed yet.  Returns as
 * osw_journal_commit().
 */
int osw_journal_push(osw_journal_t *journal,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Sequence number of the last record appended, committed; 0: none. */
uint64_t osw_journal_appended(const osw_journal_t *journal);
uint64_t osw_journal_committed(const osw_journal_t *journal);

/* Where a record is. */
struct osw_journal_place {
    uint32_t segment;
    uint32_t payload_bytes;
    uint64_t payload_at; /* offset of the payload in the segment */
};

/* What a scan found. */
struct osw_journal_tail {
    struct osw_segment first; /* header of segment 0 */
    uint32_t n_segments;      /* that hold records to keep */
    uint64_t last_seq;        /* 0: none */
    uint64_t good_bytes;      /* of the last segment */
    uint64_t dropped_bytes;   /* after them: a torn tail */
};

/* Called per record, in order.  -1 with err set ends the scan. */
typedef int (*osw_journal_f)(void *arg, const struct osw_frame *frame,
                             const struct osw_journal_place *place,
                             struct osw_error *err);

/* Read all records.  The first bad one of the last segment ends it: a torn
 * tail, whose bytes are counted.  A bad one in an earlier segment is an error.
 * cb may be NULL, and *tail is set on success.  Takes no lock.
 *
 * Returns 0, or -1 with err set: OSW_BAD_INPUT (no journal, damaged),
 * OSW_SYSTEM, OSW_NO_MEMORY, or what cb says.
 */
int osw_journal_scan(const char *dir, osw_journal_f cb, void *arg,
                     struct osw_journal_tail *tail,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The scan of one segment in memory: data[n] with its header, whose frames
 * begin at first_seq and are wanted up to end_seq (exclusive).  *at is the
 * offset after the last good one, *seq the number that would come next.
 */
int osw_journal_scan_segment(const unsigned char *data, size_t n,
                             const struct osw_segment *segment,
                             uint64_t end_seq, osw_journal_f cb, void *arg,
                             size_t *at, uint64_t *seq,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Segments are numbered without gaps: how many there are.  0, or -1 with err
 * set (OSW_BAD_INPUT): none, or the path is too long.
 */
int osw_journal_count_segments(const char *dir, uint32_t *n,
                               struct osw_error *err) OSW_MUST_CHECK;

/* The whole of segment k, as it lies on disk: *data[*n], which the caller
 * frees.  0, or -1 with err set.
 */
int osw_journal_read_segment(const char *dir, uint32_t k, unsigned char **data,
                             size_t *n, struct osw_error *err) OSW_MUST_CHECK;

/* "<dir>/000007.jnl" into path[size]. */
void osw_journal_segment_path(const char *dir, uint32_t number, char *path,
                              size_t size);

/* Remove the journal and its directory, and close it, on success and on
 * failure.  The name changes first ("<dir>.removed"), so that a half-removed
 * one is never taken for a journal.  Returns 0, or -1 with err set.
 */
int osw_journal_remove(osw_journal_t *journal,
                       struct osw_error *err) OSW_MUST_CHECK;

/* The same for a journal that no process has open, whatever state it is in.
 * 0 also for one that is not there any more; OSW_BAD_INPUT when one has it
 * open.
 */
int osw_journal_discard(const char *dir, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_JOURNAL_H */

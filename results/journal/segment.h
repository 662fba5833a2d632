/* results/journal/segment.h - the bytes of a journal segment: header and frames
 *
 * A segment is a header of 4096 bytes and frames up to its end.  A frame is
 * {u32 magic, u32 len, u64 seq, u16 type, u16 ver, u32 crc32c}, `len` bytes of
 * payload and zeros up to a multiple of 8; the CRC is that of all of it with
 * the crc field 0.  Sequence numbers have no gaps, also across segments.
 * Little-endian throughout.
 *
 * Pure: no I/O.  Downstream: journal.c.  Fuzzed by tests/fuzz/fuzz_journal.c.
 */
#ifndef OSW_RESULTS_SEGMENT_H
#define OSW_RESULTS_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    OSW_SEGMENT_VERSION = 1,
    OSW_SEGMENT_HEADER_BYTES = 4096,
    OSW_FRAME_HEADER_BYTES = 24,
    OSW_FRAME_MAX_PAYLOAD = 64 << 20, /* bytes */
};

/* What a header says.  uuid and campaign are the same in all segments. */
struct osw_segment {
    uint32_t number;    /* 0, 1, ... as in the file's name */
    uint64_t first_seq; /* of its first frame */
    char uuid[37];      /* of the run */
    uint8_t campaign_sha256[32];
    char tool_version[64];
};

/* Write the header into out[OSW_SEGMENT_HEADER_BYTES].  It also holds the
 * column table of ops/record/record.h (name, type, units), so that any later
 * tool can read a result.  Returns 0, or -1 with err set when that table
 * outgrew it.
 */
int osw_segment_encode(const struct osw_segment *segment, unsigned char *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Read and check a header: data[n], n >= 4096 for a whole one.  Returns 0, or
 * -1 with err set to OSW_BAD_INPUT: no header, damaged, of another format
 * version, or of a tool whose results have other columns.
 */
int osw_segment_decode(const unsigned char *data, size_t n,
                       struct osw_segment *out,
                       struct osw_error *err) OSW_MUST_CHECK;

struct osw_frame {
    uint64_t seq;
    uint16_t type; /* enum osw_entry_type; an unknown one is no error */
    uint16_t version;
    const unsigned char *payload; /* borrowed */
    size_t payload_bytes;
    size_t bytes; /* of the whole frame, a multiple of 8 */
};

/* Bytes of the frame that a payload of so many bytes needs. */
size_t osw_frame_bytes(size_t payload_bytes);

/* Make a frame of osw_frame_bytes(payload_bytes) at out. */
void osw_frame_encode(unsigned char *out, uint64_t seq, uint16_t type,
                      uint16_t version, const void *payload,
                      size_t payload_bytes);

/* Read the frame at the start of data[n], which must have number `seq`.
 * False: n is 0, or the bytes are not that frame, whole and unharmed.
 */
bool osw_frame_decode(const unsigned char *data, size_t n, uint64_t seq,
                      struct osw_frame *out);

/* Why osw_frame_decode() fails, as text, into why[size]. */
void osw_frame_fault(const unsigned char *data, size_t n, uint64_t seq,
                     char *why, size_t size);

/* The next offset in data[from..n), a multiple of 8, at which a whole frame
 * with a number of at least `seq` stands; n when there is none.
 */
size_t osw_frame_find(const unsigned char *data, size_t n, size_t from,
                      uint64_t seq, struct osw_frame *out);

#endif /* OSW_RESULTS_SEGMENT_H */

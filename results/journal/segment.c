/* results/journal/segment.c - the bytes of a journal segment: header and frames
 */
#include "results/journal/segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/wire.h"
#include "ops/record/record.h"
#include "results/journal/crc32c.h"

enum {
    BYTE_ORDER_MARK = 0x01020304,
    FRAME_MAGIC = 0x31524a4f, /* "OJR1" */
    CRC_AT = 20,              /* offset of crc32c in a frame */
    HEADER_CRC_AT = OSW_SEGMENT_HEADER_BYTES - 4,
};

static const char magic[8] = {'O', 'S', 'W', 'J', 'N', 'L', '1', '\0'};

static void write_columns(struct osw_writer *w)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    osw_write_u16(w, (uint16_t)n);
    for (size_t i = 0; i < n; i++) {
        osw_write_str(w, columns[i].name);
        osw_write_u8(w, (uint8_t)columns[i].type);
        osw_write_str(w, columns[i].units);
    }
}

int osw_segment_encode(const struct osw_segment *segment, unsigned char *out,
                       struct osw_error *err)
{
    struct osw_writer w = osw_writer(out, HEADER_CRC_AT);
    uint32_t crc;
    void *p;

    memset(out, 0, OSW_SEGMENT_HEADER_BYTES);
    p = osw_write_raw(&w, sizeof(magic));
    memcpy(p, magic, sizeof(magic));
    osw_write_u32(&w, OSW_SEGMENT_VERSION);
    osw_write_u32(&w, BYTE_ORDER_MARK);
    osw_write_u32(&w, segment->number);
    osw_write_u64(&w, segment->first_seq);
    osw_write_str(&w, segment->uuid);
    p = osw_write_raw(&w, sizeof(segment->campaign_sha256));
    memcpy(p, segment->campaign_sha256, sizeof(segment->campaign_sha256));
    osw_write_str(&w, segment->tool_version);
    write_columns(&w);
    if (w.overrun)
        return osw_fail(err, OSW_INTERNAL,
                        "the column table does not fit into a journal header");
    crc = osw_crc32c(0, out, HEADER_CRC_AT);
    memcpy(out + HEADER_CRC_AT, &crc, sizeof(crc));
    return 0;
}

/* Does the header's table equal that of this program? */
static bool same_columns(struct osw_reader *r)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);
    bool same = osw_read_u16(r) == n;

    for (size_t i = 0; same && i < n; i++) {
        const char *name = osw_read_str(r);
        unsigned type = osw_read_u8(r);

        osw_read_str(r);
        same = strcmp(name, columns[i].name) == 0 && type == columns[i].type;
    }
    return same && !r->overrun;
}

static int read_string(struct osw_reader *r, char *out, size_t size)
{
    const char *s = osw_read_str(r);

    if (strlen(s) >= size)
        return -1;
    memcpy(out, s, strlen(s) + 1);
    return 0;
}

/* The fields after magic and version, in a header whose CRC is right. */
static int read_fields(struct osw_reader *r, struct osw_segment *out,
                       struct osw_error *err)
{
    struct osw_segment s = {0};
    const void *sha;
    int rc = 0;

    s.number = osw_read_u32(r);
    s.first_seq = osw_read_u64(r);
    rc |= read_string(r, s.uuid, sizeof(s.uuid));
    sha = osw_read_raw(r, sizeof(s.campaign_sha256));
    if (sha)
        memcpy(s.campaign_sha256, sha, sizeof(s.campaign_sha256));
    rc |= read_string(r, s.tool_version, sizeof(s.tool_version));
    if (rc || r->overrun)
        return osw_fail(err, OSW_BAD_INPUT, "journal header cannot be read");
    if (!same_columns(r))
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal of opsweep %s, whose results have other "
                        "columns; use that version",
                        s.tool_version);
    *out = s;
    return 0;
}

int osw_segment_decode(const unsigned char *data, size_t n,
                       struct osw_segment *out, struct osw_error *err)
{
    struct osw_reader r = osw_reader(data, n);
    const char *found = osw_read_raw(&r, sizeof(magic));
    uint32_t version = osw_read_u32(&r);
    uint32_t mark = osw_read_u32(&r);
    uint32_t crc;

    if (n < OSW_SEGMENT_HEADER_BYTES || !found ||
        memcmp(found, magic, sizeof(magic)) != 0)
        return osw_fail(err, OSW_BAD_INPUT, "not a journal segment");
    memcpy(&crc, data + HEADER_CRC_AT, sizeof(crc));
    if (crc != osw_crc32c(0, data, HEADER_CRC_AT))
        return osw_fail(err, OSW_BAD_INPUT, "journal header is damaged");
    if (version != OSW_SEGMENT_VERSION || mark != BYTE_ORDER_MARK)
        return osw_fail(err, OSW_BAD_INPUT,
                        "journal format %u, this program reads %d", version,
                        OSW_SEGMENT_VERSION);
    r = osw_reader(data, HEADER_CRC_AT);
    osw_read_raw(&r, sizeof(magic) + 8);
    return read_fields(&r, out, err);
}

size_t osw_frame_bytes(size_t payload_bytes)
{
    return OSW_FRAME_HEADER_BYTES + (payload_bytes + 7) / 8 * 8;
}

void osw_frame_encode(unsigned char *out, uint64_t seq, uint16_t type,
                      uint16_t version, const void *payload,
                      size_t payload_bytes)
{
    size_t bytes = osw_frame_bytes(payload_bytes);
    struct osw_writer w = osw_writer(out, bytes);
    uint32_t crc;
    void *p;

    osw_write_u32(&w, FRAME_MAGIC);
    osw_write_u32(&w, (uint32_t)payload_bytes);
    osw_write_u64(&w, seq);
    osw_write_u16(&w, type);
    osw_write_u16(&w, version);
    osw_write_u32(&w, 0);
    p = osw_write_raw(&w, bytes - OSW_FRAME_HEADER_BYTES);
    if (payload_bytes)
        memcpy(p, payload, payload_bytes);
    memset(out + OSW_FRAME_HEADER_BYTES + payload_bytes, 0,
           bytes - OSW_FRAME_HEADER_BYTES - payload_bytes);
    crc = osw_crc32c(0, out, bytes);
    memcpy(out + CRC_AT, &crc, sizeof(crc));
}

static uint32_t frame_crc(const unsigned char *data, size_t bytes)
{
    unsigned char head[OSW_FRAME_HEADER_BYTES];

    memcpy(head, data, sizeof(head));
    memset(head + CRC_AT, 0, 4);
    return osw_crc32c(osw_crc32c(0, head, sizeof(head)), data + sizeof(head),
                      bytes - sizeof(head));
}

bool osw_frame_decode(const unsigned char *data, size_t n, uint64_t seq,
                      struct osw_frame *out)
{
    struct osw_reader r = osw_reader(data, n);
    uint32_t found = osw_read_u32(&r);
    uint32_t len = osw_read_u32(&r);
    uint32_t crc;
    struct osw_frame f;

    f.seq = osw_read_u64(&r);
    f.type = osw_read_u16(&r);
    f.version = osw_read_u16(&r);
    crc = osw_read_u32(&r);
    if (r.overrun || found != FRAME_MAGIC || len > OSW_FRAME_MAX_PAYLOAD ||
        f.seq != seq)
        return false;
    f.payload = data + OSW_FRAME_HEADER_BYTES;
    f.payload_bytes = len;
    f.bytes = osw_frame_bytes(len);
    if (f.bytes > n || crc != frame_crc(data, f.bytes))
        return false;
    *out = f;
    return true;
}

void osw_frame_fault(const unsigned char *data, size_t n, uint64_t seq,
                     char *why, size_t size)
{
    struct osw_reader r = osw_reader(data, n);
    uint32_t mark = osw_read_u32(&r), len = osw_read_u32(&r);
    uint64_t found = osw_read_u64(&r);
    uint32_t crc;

    osw_read_u32(&r); /* type and version */
    crc = osw_read_u32(&r);
    if (r.overrun)
        snprintf(why, size, "%zu bytes, a record has at least %d", n,
                 OSW_FRAME_HEADER_BYTES);
    else if (mark != FRAME_MAGIC)
        snprintf(why, size, "no record begins here: found 0x%08" PRIx32, mark);
    else if (len > OSW_FRAME_MAX_PAYLOAD)
        snprintf(why, size, "its length, %" PRIu32 " bytes, is out of bounds",
                 len);
    else if (found != seq)
        snprintf(why, size, "its number is %" PRIu64 ", expected %" PRIu64,
                 found, seq);
    else if (osw_frame_bytes(len) > n)
        snprintf(why, size, "cut off: %zu of its %zu bytes are there", n,
                 osw_frame_bytes(len));
    else
        snprintf(why, size,
                 "its checksum is 0x%08" PRIx32 ", its bytes give 0x%08" PRIx32,
                 crc, frame_crc(data, osw_frame_bytes(len)));
}

size_t osw_frame_find(const unsigned char *data, size_t n, size_t from,
                      uint64_t seq, struct osw_frame *out)
{
    for (size_t at = (from + 7) / 8 * 8; at < n && n - at > 16; at += 8) {
        uint64_t found;

        memcpy(&found, data + at + 8, sizeof(found));
        if (found >= seq && osw_frame_decode(data + at, n - at, found, out))
            return at;
    }
    return n;
}
